import { RETURN_VALUE, WindhoverError } from '@windhover/core';

export class XComTooLargeError extends WindhoverError {
  readonly code = 'E_XCOM_TOO_LARGE';
  readonly taskId: string;
  readonly key: string;
  readonly sizeBytes: number;
  readonly limitBytes: number;

  constructor(taskId: string, key: string, sizeBytes: number, limitBytes: number) {
    super(
      `${key === RETURN_VALUE ? `The result of task "${taskId}"` : `XCom "${key}" of task "${taskId}"`} has ` +
        `${sizeBytes} bytes as JSON; the limit is ${limitBytes}. Keep the data in a file, a bucket or a table and pass ` +
        'its name, or configure an XCom backend, which keeps large values outside the database.',
    );
    this.taskId = taskId;
    this.key = key;
    this.sizeBytes = sizeBytes;
    this.limitBytes = limitBytes;
  }
}
