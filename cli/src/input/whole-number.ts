import { InvalidArgumentError } from 'commander';

/** A parser of whole numbers from `least` on. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^-?\d+$/.test(text) && value >= least && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
    throw new InvalidArgumentError(`Write a whole number ${range}.`);
  };
}
