/** What the API answers instead of an object: a `Status`. */
export class ApiStatus extends Error {
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, message: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }

  toJSON(): object {
    const { code, reason, message } = this;
    return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
  }
}

export const notFound = (plural: string, name: string) =>
  new ApiStatus(404, 'NotFound', `${plural} "${name}" not found`);

export const alreadyExists = (plural: string, name: string) =>
  new ApiStatus(409, 'AlreadyExists', `${plural} "${name}" already exists`);

export const conflict = (plural: string, name: string, why: string) =>
  new ApiStatus(409, 'Conflict', `Operation cannot be fulfilled on ${plural} "${name}": ${why}`);

export const expired = (version: string, oldest: number) =>
  new ApiStatus(410, 'Expired', `too old resource version: ${version} (${oldest})`);
