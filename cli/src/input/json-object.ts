import type { Json } from '@windhover/core';
import { InvalidArgumentError } from 'commander';
import { isPlainObject } from '../config/plain-object.ts';

/** For `--conf` and `--extra`: an object in JSON. What is no JSON is shown with the place where it breaks. */
export function jsonObject(text: string): Readonly<Record<string, Json>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new InvalidArgumentError(`\n${whereItBreaks(text, (error as Error).message)}\n${EXAMPLE}`);
  }
  if (isPlainObject(value)) return value as Readonly<Record<string, Json>>;
  const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  throw new InvalidArgumentError(`It is ${kind}, not an object. ${EXAMPLE}`);
}

const EXAMPLE = `Write a JSON object in single quotes, such as '{"region": "eu"}'.`;

function whereItBreaks(text: string, message: string): string {
  const position = Number(/at position (\d+)/.exec(message)?.[1] ?? text.length);
  const lineStart = text.lastIndexOf('\n', position - 1) + 1;
  const lineEnd = text.indexOf('\n', position);
  const line = text.slice(lineStart, lineEnd === -1 ? undefined : lineEnd);
  // The engine quotes the text in some of its messages; it stands right below.
  const reason = message.replace(/, (\.\.\.)?".*/s, '').replace(/ (in JSON )?at position .*/s, '');
  return `  ${line}\n  ${' '.repeat(position - lineStart)}^ ${reason}`;
}
