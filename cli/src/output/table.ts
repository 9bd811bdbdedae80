import type { Colour, Paint } from './output.ts';
import { plainText, shorten } from './plain-text.ts';

export interface Column<T> {
  readonly title: string;
  readonly value: (row: T) => string | number | null;
  /** Default: left. */
  readonly align?: 'left' | 'right';
  /** Default: the terminal's own colour. */
  readonly colour?: (row: T) => Colour | null;
  /** Whether it may be cut where the terminal is too narrow. Default: no; ids are copied, so they stay whole. */
  readonly isFlexible?: boolean;
}

export interface TableStyle {
  /** Null: as wide as it needs to be. */
  readonly width: number | null;
  readonly paint: Paint;
}

const GAP = '  ';
const NARROWEST = 8;

export function renderTable<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  { width, paint }: TableStyle,
): string {
  const cells = rows.map((row) => columns.map(({ value }) => plainText(String(value(row) ?? ''))));
  const natural = columns.map(({ title }, i) => Math.max(title.length, ...cells.map((line) => [...line[i]!].length)));
  const widths = width === null ? natural : fit(natural, columns, width);
  const line = (texts: readonly string[], colourOf: (column: Column<T>) => Colour | null) =>
    texts
      .map((text, i) => {
        const padding = ' '.repeat(Math.max(0, widths[i]! - [...text].length));
        const cell = shorten(text, widths[i]!);
        if (columns[i]!.align === 'right') return padding + paint(colourOf(columns[i]!), cell);
        // No spaces after the last column: they would wrap in a narrow terminal.
        return paint(colourOf(columns[i]!), cell) + (i === texts.length - 1 ? '' : padding);
      })
      .join(GAP)
      .trimEnd();
  const header = line(
    columns.map(({ title }) => title),
    () => 'bold',
  );
  const body = cells.map((texts, row) => line(texts, ({ colour }) => colour?.(rows[row]!) ?? null));
  return [header, ...body].join('\n');
}

/** Takes what is too much from the widest flexible column, again and again. */
function fit<T>(natural: readonly number[], columns: readonly Column<T>[], width: number): readonly number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, one) => sum + one, 0) + GAP.length * (widths.length - 1) - width;
  while (excess > 0) {
    const candidates = widths.map((one, i) => (columns[i]!.isFlexible ? one : 0));
    const widest = Math.max(...candidates);
    if (widest <= NARROWEST) break;
    widths[candidates.indexOf(widest)] = widest - 1;
    excess -= 1;
  }
  return widths;
}
