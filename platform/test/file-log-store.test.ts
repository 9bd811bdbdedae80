import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testLogStore } from '@windhover/core/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { FileLogStore } from '../src/logs/file-log-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'windhover-logs-'));
afterAll(() => rmSync(folder, { recursive: true }));
let made = 0;
const make = () => new FileLogStore({ folder: join(folder, String(++made)) });

describe('FileLogStore', () => {
  const create = async () => ({ store: make(), close: async () => {} });
  for (const { name, run } of testLogStore({ create })) test(name, run);

  const stream = { type: 'callback', callbackId: '1' } as const;
  const chunk = (sequence: number, ...messages: string[]) => ({
    stream,
    writer: 'w',
    sequence,
    records: messages.map((message) => ({ at: '2026-01-01T00:00:00.000Z', level: 'info' as const, message })),
  });

  test('pages meet without a gap, also in the middle of a chunk and of a letter', async () => {
    const store = make();
    await store.append([chunk(0, 'é'.repeat(40_000), 'b', 'c'), chunk(1, 'd')]);
    const seen: string[] = [];
    let cursor: string | undefined;
    for (;;) {
      const page = await store.read(stream, { limit: 2, ...(cursor && { cursor }) });
      if (page.records.length === 0) break;
      seen.push(...page.records.map(({ message }) => message.at(-1)!));
      cursor = page.cursor;
    }
    expect(seen).toEqual(['é', 'b', 'c', 'd']);
  });

  test('a line that is just being written is not read, and comes whole later', async () => {
    const store = make();
    await store.append([chunk(0, 'a')]);
    const root = join(folder, String(made), 'callbacks');
    const file = join(root, readdirSync(root)[0]!);
    const line = JSON.stringify({ name: '["w",1]', records: chunk(1, 'b').records });
    appendFileSync(file, line.slice(0, 10));
    const first = await store.read(stream);
    expect(first.records).toHaveLength(1);
    appendFileSync(file, `${line.slice(10)}\n`);
    expect((await store.read(stream, { cursor: first.cursor })).records.map(({ message }) => message)).toEqual(['b']);
  });
});
