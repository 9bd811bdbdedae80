import { stripVTControlCharacters } from 'node:util';

/** On one line and without control characters: names and messages of others must not move the cursor. */
export function plainText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  return stripVTControlCharacters(text).replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}

/** Cut to `width` signs, with an ellipsis for what is missing. */
export function shorten(text: string, width: number): string {
  const signs = [...text];
  return signs.length <= width ? text : `${signs.slice(0, Math.max(0, width - 1)).join('')}…`;
}
