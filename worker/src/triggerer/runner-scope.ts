import {
  Connection,
  ConnectionNotFoundError,
  DEFAULT_NAMESPACE,
  type Duration,
  deserialize,
  durationMs,
  type Logger,
  poll,
  RETURN_VALUE,
  type RunStatesQuery,
  type SignalVersion,
  serialize,
  type TriggerScope,
  VariableNotFoundError,
  type XComPullOptions,
} from '@windhover/core';
import { connectionSecrets, isSensitiveName } from '../task/masker.ts';
import { XComBackendMissingError } from '../task/xcom-backend-missing-error.ts';
import { loadOwnTask } from './load-own-task.ts';
import type { TriggerSession } from './trigger-session.ts';

/**
 * What a trigger may use while it runs. Code may take methods out of a scope, so each is an arrow; but it is made by a
 * getter, when it is asked for: a scope with all of its arrows would be the largest part of a waiting trigger.
 */
export class RunnerScope implements TriggerScope {
  readonly #session: TriggerSession;

  constructor(session: TriggerSession) {
    this.#session = session;
  }

  get signal(): AbortSignal {
    return this.#session.stopSignal.signal;
  }

  get log(): Logger {
    return this.#session.log.logger;
  }

  get createdAt(): Date {
    return new Date(this.#session.createdAt);
  }

  get now(): TriggerScope['now'] {
    return () => this.#session.services.now();
  }

  get sleep(): TriggerScope['sleep'] {
    const { services, stopSignal } = this.#session;
    return (duration: Duration | number) =>
      services.sleeps.sleep(typeof duration === 'number' ? duration : durationMs(duration), stopSignal);
  }

  get poll(): TriggerScope['poll'] {
    const { services } = this.#session;
    const session = this.#session;
    return (check, options) =>
      poll(check, options, {
        now: () => services.now(),
        sleep: this.sleep,
        // Asked for only when a check fails.
        get log() {
          return session.log.logger;
        },
        onPoll: (outcome, nextInMs, error) => {
          const at = services.now();
          session.progress({
            lastPollAt: at.toISOString(),
            outcome,
            nextPollAt: nextInMs === undefined ? null : new Date(at.getTime() + nextInMs).toISOString(),
            ...(error !== undefined && { message: services.masker.mask((error as Error).message ?? String(error)) }),
          });
        },
      });
  }

  get checkpoint(): TriggerScope['checkpoint'] {
    const session = this.#session;
    return {
      load: <T>() => (session.checkpoint === null ? undefined : deserialize<T>(session.checkpoint)),
      save: async (value) => {
        const checkpoint = serialize(value, 'checkpoint');
        await session.ask((host, lease) => host.saveCheckpoint(lease, checkpoint));
        session.checkpoint = checkpoint;
      },
    };
  }

  get connection(): TriggerScope['connection'] {
    return async (connId) => {
      const fields = await this.#session.ask((host, lease) => host.connection(lease, connId));
      if (!fields) throw new ConnectionNotFoundError(connId);
      this.#session.services.masker.add(connectionSecrets(fields));
      return new Connection(connId, fields);
    };
  }

  get variable(): TriggerScope['variable'] {
    return async (key) => {
      const value = await this.#session.ask((host, lease) => host.variable(lease, key));
      if (value === null) throw new VariableNotFoundError(key);
      if (isSensitiveName(key)) this.#session.services.masker.add([value]);
      return value;
    };
  }

  get xcom(): TriggerScope['xcom'] {
    return {
      pull: async <T>(taskId: string, options: XComPullOptions = {}) => {
        const { key = RETURN_VALUE, mapIndex = -1, ...run } = options;
        const answer = await this.#session.ask((host, lease) => host.getXCom(lease, { taskId, key, mapIndex, ...run }));
        if (answer.type === 'reference') throw new XComBackendMissingError(taskId, key);
        return answer.type === 'none' ? undefined : deserialize<T>(answer.value);
      },
    };
  }

  get shared(): TriggerScope['shared'] {
    const { services, stopSignal } = this.#session;
    return (key, ttlMs, fetch) => services.shared.get(key, ttlMs, fetch, stopSignal);
  }

  get runInThread(): TriggerScope['runInThread'] {
    const { services, stopSignal } = this.#session;
    return (classpath, args) => services.threads.call(classpath, args, stopSignal);
  }

  get runStates(): TriggerScope['runStates'] {
    return async ({ logicalDates, ...query }: RunStatesQuery) => {
      const request = {
        ...query,
        ...(logicalDates && { logicalDates: logicalDates.map((date) => date.toISOString()) }),
      };
      const answers = await this.#session.ask((host, lease) => host.runStates(lease, request));
      return answers.map((answer) => ({ ...answer, logicalDate: new Date(answer.logicalDate) }));
    };
  }

  get sendSignal(): TriggerScope['sendSignal'] {
    return (key, value, options = {}) =>
      this.#session.ask((host, lease) => host.sendSignal(lease, key, value, options));
  }

  get listenSignal(): TriggerScope['listenSignal'] {
    return (keys, options = {}) =>
      this.#listen(typeof keys === 'string' ? [keys] : keys, options.namespace, options.sinceOffset);
  }

  get loadTask(): TriggerScope['loadTask'] {
    return (reference) => loadOwnTask(this.#session, this, reference);
  }

  async *#listen(
    keys: readonly string[],
    namespace = DEFAULT_NAMESPACE,
    since: string | null = null,
  ): AsyncGenerator<SignalVersion> {
    let sinceOffset = since;
    while (!this.#session.stopReason) {
      const request = { keys, namespace, sinceOffset, waitMs: LISTEN_WAIT_MS };
      try {
        const answer = await this.#session.ask((host, lease) => host.listenSignal(lease, request));
        sinceOffset = answer.offset;
        yield* answer.signals;
      } catch (error) {
        if (!this.#session.stopReason) throw error;
      }
    }
  }
}

const LISTEN_WAIT_MS = 20_000;
