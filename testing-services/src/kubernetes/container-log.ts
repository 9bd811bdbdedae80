export interface LogOptions {
  readonly isFollowed: boolean;
  readonly hasTimestamps: boolean;
  readonly tailLines: number | null;
  readonly sinceTime: string | null;
}

/** What a container has printed, line by line. */
export class ContainerLog {
  readonly #lines: { readonly at: string; readonly text: string }[] = [];
  readonly #followers = new Set<(line: { at: string; text: string } | null) => void>();
  #isOver = false;

  follow(stream: NodeJS.ReadableStream): void {
    let rest = '';
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) this.add(line);
    });
    stream.on('end', () => rest && this.add(rest));
    stream.on('error', () => {});
  }

  add(text: string): void {
    const line = { at: new Date().toISOString(), text };
    this.#lines.push(line);
    for (const follower of this.#followers) follower(line);
  }

  end(): void {
    this.#isOver = true;
    for (const follower of this.#followers) follower(null);
    this.#followers.clear();
  }

  /** Answers how to stop. `onEnd` is called once, unless stopped before. */
  read(options: LogOptions, onText: (text: string) => void, onEnd: () => void): () => void {
    const { isFollowed, hasTimestamps, tailLines, sinceTime } = options;
    const isNew = ({ at }: { at: string }) => sinceTime === null || Date.parse(at) >= Date.parse(sinceTime);
    const tell = ({ at, text }: { at: string; text: string }) => onText(`${hasTimestamps ? `${at} ` : ''}${text}\n`);
    const known = this.#lines.filter(isNew);
    for (const line of tailLines === null ? known : known.slice(-tailLines)) tell(line);
    if (!isFollowed || this.#isOver) {
      onEnd();
      return () => {};
    }
    const follower = (line: { at: string; text: string } | null) => (line ? tell(line) : onEnd());
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }
}
