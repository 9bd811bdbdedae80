import { afterEach, beforeEach, expect, test } from 'vitest';
import { StandInServer } from '../src/index.ts';

let server: StandInServer;
let handled = 0;
beforeEach(async () => {
  handled = 0;
  server = await StandInServer.start(() => {
    handled += 1;
    return { body: { handled } };
  });
});
afterEach(() => server.stop());

const status = async (path: string) => (await fetch(`${server.url}${path}`)).status;

test('a fault hits as many requests as it says, after as many as it says, and no others', async () => {
  server.fail({ on: /^GET \/jobs/, after: 1, times: 2, answer: { status: 429 } });
  const seen = [
    await status('/jobs'),
    await status('/other'),
    await status('/jobs'),
    await status('/jobs'),
    await status('/jobs'),
  ];
  expect(seen).toEqual([200, 200, 429, 429, 200]);
  expect(handled).toBe(3);
  expect(server.count(/^GET \/jobs/)).toBe(4);
});

test('a reset connection has done nothing, a lost answer has', async () => {
  server.fail({ on: /reset/, answer: 'reset' });
  server.fail({ on: /lost/, answer: 'loseAnswer' });
  await expect(status('/reset')).rejects.toThrow('fetch failed');
  expect(handled).toBe(0);
  await expect(status('/lost')).rejects.toThrow('fetch failed');
  expect(handled).toBe(1);
});
