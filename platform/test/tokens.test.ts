import { describe, expect, test } from 'vitest';
import { generateSecretKey } from '../src/crypto/secret-keys.ts';
import { InvalidTokenError } from '../src/execution-api/invalid-token-error.ts';
import type { TokenScope } from '../src/execution-api/token-scope.ts';
import { Tokens } from '../src/execution-api/tokens.ts';

const [key, otherKey] = [generateSecretKey(), generateSecretKey()];
const tokens = new Tokens([key]);
const execution: TokenScope = { type: 'execution', taskInstanceId: '17', epoch: 3 };

async function refusal(token: string | undefined, by = tokens): Promise<InvalidTokenError> {
  const error = await by.verify(token).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InvalidTokenError);
  return error as InvalidTokenError;
}

/** Replaces one part of a JWT by another JSON. */
function withPart(token: string, index: 0 | 1, change: (part: any) => object): string {
  const parts = token.split('.');
  const part = JSON.parse(Buffer.from(parts[index]!, 'base64url').toString());
  parts[index] = Buffer.from(JSON.stringify(change(part))).toString('base64url');
  return parts.join('.');
}

describe('a token', () => {
  test.each<TokenScope>([
    { type: 'start', workloadId: 'task:17:3' },
    execution,
    { type: 'callback', callbackId: '4' },
    { type: 'trigger', queues: ['default', 'eu'] },
    { type: 'dag' },
    { type: 'api', name: 'ci' },
  ])('of the scope $type says what it was issued for', async (scope) => {
    expect(await tokens.verify(await tokens.issue(scope))).toEqual(scope);
  });

  test('for a task that runs expires, and a start token does not', async () => {
    const expiryOf = async (scope: TokenScope) =>
      JSON.parse(Buffer.from((await tokens.issue(scope)).split('.')[1]!, 'base64url').toString());
    const { exp, iat } = await expiryOf(execution);
    expect(exp - iat).toBe(15 * 60);
    expect(await expiryOf({ type: 'start', workloadId: 'task:17:3' })).not.toHaveProperty('exp');
  });

  test('that has expired is refused as such', async () => {
    expect((await refusal(await tokens.issue(execution, { expiresInMs: -1000 }))).reason).toBe('expired');
  });

  test('of another platform is refused', async () => {
    expect((await refusal(await new Tokens([otherKey]).issue(execution))).reason).toBe('signature');
  });

  test('whose scope was changed is refused', async () => {
    const forged = withPart(await tokens.issue(execution), 1, (payload) => ({ ...payload, scope: { type: 'dag' } }));
    expect((await refusal(forged)).reason).toBe('signature');
  });

  test('that names no algorithm is refused', async () => {
    const [header, payload] = withPart(await tokens.issue(execution), 0, (part) => ({ ...part, alg: 'none' })).split(
      '.',
    );
    expect((await refusal(`${header}.${payload}.`)).reason).toBe('malformed');
  });

  test.each([
    [undefined, 'missing'],
    ['', 'missing'],
    ['hello', 'malformed'],
    ['a.b.c', 'malformed'],
  ])('%j is %s', async (text, reason) => {
    expect((await refusal(text)).reason).toBe(reason);
  });

  test('never shows up in an error', async () => {
    const token = await tokens.issue(execution, { expiresInMs: -1000 });
    const error = await refusal(token);
    for (const part of token.split('.')) expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain(part);
    expect(error.cause).toBeUndefined();
  });
});

describe('when the secret keys change', () => {
  test('a token of the old key is good while that key is there', async () => {
    const token = await tokens.issue(execution);
    expect(await new Tokens([otherKey, key]).verify(token)).toEqual(execution);
    expect((await refusal(token, new Tokens([otherKey]))).reason).toBe('signature');
  });

  test('the first key signs', async () => {
    const token = await new Tokens([otherKey, key]).issue(execution);
    expect(await new Tokens([otherKey]).verify(token)).toEqual(execution);
    expect((await refusal(token)).message).toContain('WINDHOVER_SECRET_KEYS');
  });

  test('there must be one', () => {
    expect(() => new Tokens([])).toThrow('there is none');
  });
});
