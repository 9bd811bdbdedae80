import { BaseHook, BaseTrigger, type Connection, TriggerEvent, type TriggerScope } from '../../src/index.ts';

export interface AcmeEvent {
  status: 'done' | 'failed';
}

/** An interface, not a type alias: it has no index signature. */
export interface AcmeKwargs {
  jobId: string;
  since?: Date;
  tags: readonly string[];
  limits: Map<string, bigint>;
  nested: { seen: Set<number>; raw: Uint8Array };
}

export class AcmeTrigger extends BaseTrigger<AcmeEvent, AcmeKwargs> {
  static override readonly classpath = 'acme#AcmeTrigger';

  async *run(scope: TriggerScope) {
    await scope.sleep('1s');
    yield new TriggerEvent<AcmeEvent>({ status: 'done' });
  }
}

export const acmeTrigger = new AcmeTrigger({
  jobId: '1',
  tags: [],
  limits: new Map(),
  nested: { seen: new Set(), raw: new Uint8Array() },
});

export class AcmeHook extends BaseHook<{ get(): void }> {
  protected createClient(_connection: Connection) {
    return { get() {} };
  }
}
