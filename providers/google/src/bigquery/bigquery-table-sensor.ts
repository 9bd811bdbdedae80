import { BaseSensor, type TriggerContext } from '@windhover/core';
import { BigQueryHook, type BigQueryTableReference } from './bigquery-hook.ts';

/** What every sensor takes that looks at a table. */
export interface BigQueryTableArgs {
  /** Default: the project of the connection. */
  readonly projectId?: string;
  readonly datasetId: string;
  readonly tableId: string;
  /** Default: `google_cloud_default`. */
  readonly gcpConnId?: string;
  /** The accounts to act as, the last one in the end. Default: the connection's. */
  readonly impersonationChain?: string | readonly string[];
}

/** Looks at one table; subclasses say what for. Every look is free of charge. */
export abstract class BigQueryTableSensor<Args extends BigQueryTableArgs> extends BaseSensor<void, Args> {
  protected hook(context: TriggerContext): BigQueryHook {
    const { gcpConnId, projectId, impersonationChain } = this.args as BigQueryTableArgs;
    return new BigQueryHook(context, gcpConnId, { projectId, impersonationChain });
  }

  protected table(): BigQueryTableReference {
    const { datasetId, tableId } = this.args as BigQueryTableArgs;
    return { datasetId, tableId };
  }
}
