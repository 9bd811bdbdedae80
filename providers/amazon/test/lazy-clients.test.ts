import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Imports and runs something in a process of its own and answers which of the vendor's modules it loaded. */
async function modulesLoadedBy(code: string): Promise<readonly string[]> {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({
      resolve(specifier, context, next) {
        if (/^@(aws-sdk|smithy)\\//.test(specifier)) loaded.push(specifier);
        return next(specifier, context);
      },
    });
    ${code}
    console.log(JSON.stringify(loaded));
  `;
  const args = ['--conditions=development', '--no-warnings', '--input-type=module', '-e', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  return JSON.parse(stdout) as string[];
}

test('reading a DAG with every class of the package loads none of the vendor’s modules', async () => {
  const loaded = await modulesLoadedBy(`
    await import('@windhover/provider-amazon');
    const { sales } = await import('./readme/sales.ts');
    const { serializeDag } = await import('@windhover/core');
    serializeDag(sales);
  `);
  expect(loaded).toEqual([]);
});

test('a hook loads the client of its own service only', async () => {
  const loaded = await modulesLoadedBy(`
    const { AwsHook } = await import('@windhover/provider-amazon/aws');
    const { batchService } = await import('@windhover/provider-amazon/batch');
    const { Connection } = await import('@windhover/core');
    const fields = { connType: 'aws', login: 'a', password: 'b', extra: { regionName: 'eu-west-1' } };
    await new AwsHook({ connection: async () => new Connection('c', fields) }, {}, batchService).client();
  `);
  expect([...new Set(loaded.filter((specifier) => specifier.startsWith('@aws-sdk/client-')))]).toEqual([
    '@aws-sdk/client-batch',
  ]);
});
