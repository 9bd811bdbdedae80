import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('importing the package does not load undici', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    await import('@windhover/provider-http');
    console.log(loaded.filter((url) => !url.startsWith('node:') && !/(core|http)\\/src\\//.test(url)).join());
  `;
  const output = execFileSync(process.execPath, ['--conditions=development', '--input-type=module', '-e', script], {
    cwd: new URL('..', import.meta.url),
    encoding: 'utf8',
  });
  expect(output.trim()).toBe('');
});
