/** Something that was started and can be stopped. */
export interface RunningServer {
  stop(): Promise<void>;
}

/** Stops in the reverse order of starting. One that cannot be stopped keeps none of the others running. */
export class RunningServers {
  readonly #servers: RunningServer[] = [];

  add<T extends RunningServer>(server: T): T {
    this.#servers.push(server);
    return server;
  }

  async stop(): Promise<void> {
    const failures: unknown[] = [];
    for (const server of this.#servers.splice(0).reverse())
      await server.stop().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}
