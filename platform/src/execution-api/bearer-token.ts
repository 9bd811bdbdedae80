/** The token of an `Authorization` header; undefined where it holds none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}
