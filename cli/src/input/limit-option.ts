import { Option } from 'commander';
import { wholeNumber } from './whole-number.ts';

const DEFAULT_LIMIT = 50;

/** For lists that grow with time. */
export function limitOption(): Option {
  return new Option('--limit <n>', 'how many to show, the newest first')
    .argParser(wholeNumber(1))
    .default(DEFAULT_LIMIT);
}
