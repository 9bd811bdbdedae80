import type { Sink } from '../io.ts';
import { shorten } from './plain-text.ts';

const CLEAR = '\r\u001b[2K';
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;

/** The last line of a terminal, repainted in place; other lines go above it. Use it only where somebody watches. */
export class LiveLine implements Disposable {
  readonly #sink: Sink;
  readonly #timer: NodeJS.Timeout;
  #render: () => string = () => '';
  #frame = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
    this.#timer = setInterval(() => {
      this.#frame += 1;
      this.#paint();
    }, FRAME_MS);
    this.#timer.unref();
  }

  /** `render` is asked again at each frame, so that times on the line go on. */
  update(render: () => string): void {
    this.#render = render;
    this.#paint();
  }

  /** Prints a line that stays. */
  print(text: string): void {
    this.#sink.write(`${CLEAR}${text}\n`);
    this.#paint();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#sink.write(CLEAR);
  }

  #paint(): void {
    const text = this.#render();
    if (text === '') return;
    const spinner = FRAMES[this.#frame % FRAMES.length];
    this.#sink.write(`${CLEAR}${shorten(`${spinner} ${text}`, (this.#sink.columns ?? 80) - 1)}`);
  }
}
