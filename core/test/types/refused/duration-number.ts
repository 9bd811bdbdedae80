import { AcmeOperator } from '../accepted/deferrable-operator.ts';

// error: Type 'number' is not assignable to type 'Duration'
export const wrong = new AcmeOperator({ taskId: 'acme', query: 'q', executionTimeout: 30 });
