import pg from 'pg';

/** One channel for each kind of news; without payload, because a notification is a wake-up, not data. */
export type Channel = 'windhover_log' | 'windhover_run' | 'windhover_trigger' | 'windhover_dag' | 'windhover_stop';

/**
 * Listens on a connection of its own and calls back on each notification. After a broken connection it listens again
 * and calls back once for each channel, because something may have been missed.
 */
export class Notifications {
  readonly #url: string;
  readonly #listeners = new Map<Channel, Set<() => void>>();
  #client: pg.Client | undefined;
  #isClosed = false;
  #retryMs = 50;

  constructor(url: string) {
    this.#url = url;
  }

  async start(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'windhover listen',
      keepAlive: true,
    });
    client.on('notification', ({ channel }) => this.#call(channel as Channel));
    client.on('error', () => {});
    client.on('end', () => void this.#reconnect());
    await client.connect();
    this.#client = client;
    for (const channel of CHANNELS) await client.query(`listen ${channel}`);
    this.#retryMs = 50;
  }

  /** Answers a function that ends it. */
  on(channel: Channel, callback: () => void): () => void {
    const callbacks = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, callbacks.add(callback));
    return () => callbacks.delete(callback);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#client?.end();
  }

  #call(channel: Channel): void {
    for (const callback of this.#listeners.get(channel) ?? []) callback();
  }

  async #reconnect(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.start();
        for (const channel of CHANNELS) this.#call(channel);
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, this.#retryMs).unref());
        this.#retryMs = Math.min(this.#retryMs * 2, 5000);
      }
    }
  }
}

const CHANNELS: readonly Channel[] = [
  'windhover_log',
  'windhover_run',
  'windhover_trigger',
  'windhover_dag',
  'windhover_stop',
];
