import type { ConnectionFields } from '@windhover/core';
import { expect, test } from 'vitest';
import type { MemoryConnectionTest } from './fixtures/tasks/memory-task-api.ts';
import { PoolScene, SLOW } from './fixtures/tasks/pool-scene.ts';

const FIELDS: ConnectionFields = {
  connType: 'acme',
  host: 'acme.example',
  password: 'h@rd 2 guess',
  extra: { apiKey: 'k-1234567' },
};

/** Tests a connection with a hook of `lib/hooks.ts`, or of another classpath. */
function tested(scene: PoolScene, hook: string): Promise<MemoryConnectionTest> {
  const classpath = hook.includes('#') ? hook : `project:lib/hooks.ts#${hook}`;
  return scene.runToEnd(scene.api.addConnectionTest(classpath, FIELDS));
}

test(
  'the hook says whether a connection works, and secrets do not show up',
  async () => {
    const scene = new PoolScene();
    expect((await tested(scene, 'WorkingHook')).result).toEqual({ isSuccess: true, message: 'The connection works.' });
    expect((await tested(scene, 'RefusingHook')).result).toEqual({
      isSuccess: false,
      message: '*** and *** were refused',
    });
    expect((await tested(scene, 'ThrowingHook')).result).toEqual({ isSuccess: false, message: 'it has a bug' });
    expect(scene.output).toEqual(['connecting with ***']);
    expect(scene.lost.size).toBe(0);
    expect(new Set(scene.pids.values()).size).toBe(1);
  },
  SLOW,
);

test(
  'a hook that is missing, or is none, is the answer',
  async () => {
    const scene = new PoolScene();
    const message = async (hook: string) => {
      const { result } = await tested(scene, hook);
      expect(result!.isSuccess).toBe(false);
      return result!.message;
    };
    expect(await message('NoSuchHook')).toContain('has no export "NoSuchHook"');
    expect(await message('@acme/provider#AcmeHook')).toContain('the package "@acme/provider" is not installed');
    expect(await message('NotAHook')).toBe(
      'Cannot use "project:lib/hooks.ts#NotAHook": it is not a class that extends BaseHook. Correct the name where it is given.',
    );
    expect(await message('TunnelHook')).toContain('"bastion"');
    expect(scene.lost.size).toBe(0);
  },
  SLOW,
);

test(
  'a test that takes too long is answered so, also when it blocks its process, which is replaced',
  async () => {
    const scene = new PoolScene({ connectionTestTimeoutMs: 100 });
    for (const hook of ['DeafHook', 'BlockingHook']) {
      const { id, result } = await tested(scene, hook);
      expect(result).toEqual({
        isSuccess: false,
        message:
          'The test of connection "acme" did not end within 100 ms. Does the worker reach its host, through firewalls ' +
          'and proxies?',
      });
      const next = await tested(scene, 'WorkingHook');
      expect(scene.pids.get(next.id)).not.toBe(scene.pids.get(id));
    }
    expect(scene.lost.size).toBe(0);
  },
  SLOW,
);

test(
  'an error that nobody caught fails the test, and a process that dies loses it',
  async () => {
    const scene = new PoolScene();
    expect((await tested(scene, 'StrayHook')).result).toEqual({ isSuccess: false, message: 'from a promise' });
    const dying = await tested(scene, 'DyingHook');
    expect(dying.result).toBeNull();
    expect(scene.lost.get(dying.id)).toContain('was killed by SIGKILL');
    expect((await tested(scene, 'WorkingHook')).result).toMatchObject({ isSuccess: true });
  },
  SLOW,
);
