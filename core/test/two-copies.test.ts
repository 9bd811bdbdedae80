import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

// A provider may bring its own copy of core. Here one copy makes the operator, and the other one runs it, in a real
// process that has loaded both.
const source = fileURLToPath(new URL('../src', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'windhover-two-copies-'));
cpSync(source, join(folder, 'src'), { recursive: true });
afterAll(() => rmSync(folder, { recursive: true }));

function inProcessWithBoth(script: string): unknown {
  const imports = `
    import * as own from '${source}/index.ts';
    import * as other from '${folder}/src/index.ts';
    import { runOperator } from '${folder}/src/testing/index.ts';
    if (own.BaseOperator === other.BaseOperator) throw new Error('there is only one copy');
    class Op extends own.BaseOperator {
      execute(context) { return this.args.body.call(this, context); }
      done(_context, event, kwargs) { return { payload: event.payload, kwargs, isEvent: own.TriggerEvent.isInstance(event), isInstance: event instanceof own.TriggerEvent }; }
    }`;
  const output = execFileSync('node', ['--input-type=module', '-e', `${imports}\n${script}`], { encoding: 'utf8' });
  return JSON.parse(output);
}

test('an operator deferred with one copy of core resumes with another', () => {
  const answer = inProcessWithBoth(`
    const operator = new Op({ taskId: 'op', body() { this.defer({ trigger: new own.TimeDeltaTrigger({ delta: '8h' }), resume: this.done, kwargs: { since: 7 } }); } });
    const { state, result, elapsedMs } = await runOperator(operator);
    console.log(JSON.stringify({ state, result, elapsedMs }));
  `);
  expect(answer).toEqual({
    state: 'success',
    result: { payload: '2026-01-01T08:00:00.000Z', kwargs: { since: 7 }, isEvent: true, isInstance: false },
    elapsedMs: 28_800_000,
  });
});

test('what one copy throws the other understands: skip, fail, reschedule, swallowed deferral, end events', () => {
  const answer = inProcessWithBoth(`
    const run = async (body) => {
      const { state, error, tries } = await runOperator(new Op({ taskId: 'op', retries: 1, retryDelay: '1s', body }));
      return [state, tries, error?.code ?? null];
    };
    class Ends extends own.BaseTrigger {
      static classpath = 'project:x.ts#Ends';
      async *run() { yield new own.TaskSkippedEvent('enough'); }
    }
    let runs = 0;
    console.log(JSON.stringify([
      await run(() => { throw new own.TaskSkipped(); }),
      await run(() => { throw new own.TaskFailed('no'); }),
      await run(() => { if (runs++ === 0) throw new own.TaskRescheduled(new Date()); }),
      await run(function () { try { this.defer({ trigger: new own.TimeDeltaTrigger({ delta: '1s' }), resume: this.done }); } catch {} }),
      await run(function () { this.defer({ trigger: new Ends({}), resume: this.done }); }),
    ]));
  `);
  expect(answer).toEqual([
    ['skipped', 1, null],
    ['failed', 1, 'E_TASK_FAILED'],
    ['success', 1, null],
    ['failed', 1, 'E_DEFERRAL_SWALLOWED'],
    ['skipped', 1, null],
  ]);
});

test("an operator of one copy belongs to the other copy's DAG, its groups and its templates", () => {
  const answer = inProcessWithBoth(`
    const made = other.dag('d', {}, () => {
      const rows = other.task('rows', () => 3);
      own.taskGroup('g', () => { new Op({ taskId: 'op', body() { return this.args.n; }, n: rows.output }); });
    });
    const task = made.tasks.get('g.op');
    const { result } = await runOperator(task, { xcoms: { rows: 42 } });
    console.log(JSON.stringify({ upstream: [...task.upstreamTaskIds], result, serialized: other.serializeDag(made).tasks.length }));
  `);
  expect(answer).toEqual({ upstream: ['rows'], result: 42, serialized: 2 });
});
