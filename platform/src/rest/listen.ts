import type { FastifyInstance } from 'fastify';
import { PortTakenError } from './port-taken-error.ts';

/** Port 0 takes any free one; the answer says which. */
export async function listenOrThrow(
  server: FastifyInstance<any, any, any, any, any>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<{ readonly url: string }> {
  try {
    return { url: await server.listen({ host, port }) };
  } catch (error) {
    if ((error as { code?: string }).code !== 'EADDRINUSE') throw error;
    throw new PortTakenError(host, port, { cause: error });
  }
}
