import { execFileSync } from 'node:child_process';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { commandTree } from '../src/completion/command-tree.ts';
import { processIo } from '../src/io.ts';
import { buildProgram } from '../src/program.ts';
import { Session } from '../src/session.ts';
import { callCli } from './support/call-cli.ts';

const program = buildProgram(new Session(processIo()));
const leaves = (command: Command, path: string[]): string[][] =>
  command.commands.length === 0 ? [path] : command.commands.flatMap((child) => leaves(child, [...path, child.name()]));

describe('help', () => {
  test('of the program explains the exit codes and names the groups', async () => {
    const { stdout, exitCode } = await callCli(null, ['--help']);
    expect(exitCode).toBe(0);
    for (const code of [0, 1, 2, 3, 4, 5, 6, 130]) expect(stdout).toMatch(new RegExp(`^  ${code} +\\w`, 'm'));
    expect(stdout).toContain('Administration:');
  });

  test.each(leaves(program, []).map((path) => [path.join(' ')]))(
    'of %s shows an example that names it',
    async (path) => {
      const { stdout, exitCode } = await callCli(null, [...path.split(' '), '--help']);
      expect(exitCode).toBe(0);
      // `backfill create` is written without its second word.
      expect(stdout).toMatch(new RegExp(`Examples?:\\n(.*\\n)*.*windhover ${path.replace(' create', '( create)?')}`));
      expect(stdout).toContain('--json');
    },
  );

  test('of tasks run says what it does', async () => {
    const { stdout } = await callCli(null, ['tasks', 'run', '--help']);
    expect(stdout.replace(/\s+/g, ' ')).toContain('it is cleared, so that it runs again');
  });

  test('--version prints the version', async () => {
    expect(await callCli(null, ['--version'])).toMatchObject({ exitCode: 0, stdout: '0.0.0\n' });
  });
});

describe('completion', () => {
  test.each(['bash', 'zsh', 'fish'])('for %s knows every command and every option', async (shell) => {
    const { stdout, exitCode } = await callCli(null, ['completion', shell]);
    expect(exitCode).toBe(0);
    for (const { path, children, options } of commandTree(program)) {
      expect(stdout).toContain(path);
      for (const { name } of children) expect(stdout).toContain(name);
      for (const { name } of options) expect(stdout).toContain(name.slice(2));
    }
  });

  test.each([
    ['windhover ba', 'backfill'],
    ['windhover dags tr', 'trigger'],
    ['windhover --json dags trigger hello --wa', '--wait'],
    ['windhover runs list --state f', 'failed'],
    ['windhover runs mark hello r1 f', 'failed'],
    ['windhover completion z', 'zsh'],
  ])('in bash, "%s" becomes "%s"', async (line, expected) => {
    const { stdout } = await callCli(null, ['completion', 'bash']);
    const words = line.split(' ');
    const script = `${stdout}
      COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}
      _windhover; echo "\${COMPREPLY[@]}"`;
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim()).toBe(expected);
  });
});
