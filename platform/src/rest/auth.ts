import { bearerToken } from '../execution-api/bearer-token.ts';
import { TokenScopeError } from '../execution-api/token-scope-error.ts';
import type { Tokens } from '../execution-api/tokens.ts';
import type { Api } from './api.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The name of its token. */
    actor: string;
  }
  interface FastifyContextConfig {
    /** Answered without a token. Default: false. */
    isPublic?: boolean;
  }
}

/** Every route of `api` that does not say otherwise wants a token of the scope `api`. */
export function requireToken(api: Api, tokens: Tokens): void {
  api.decorateRequest('actor', '');
  api.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.isPublic) return;
    const scope = await tokens.verify(bearerToken(request.headers.authorization));
    if (scope.type !== 'api') throw new TokenScopeError('for the REST API', scope);
    request.actor = scope.name;
  });
}
