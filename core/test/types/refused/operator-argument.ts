import { task } from '../../../src/index.ts';
import { AcmeOperator } from '../accepted/deferrable-operator.ts';

const count = task('count', async () => 42);
// error: Output<number>
export const wrong = new AcmeOperator({ taskId: 'acme', query: count.output });
