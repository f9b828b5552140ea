const BEARER = /^bearer +([\w.~+/-]+=*)$/i

/**
 * The token of an Authorization header (RFC 6750, section 2.1), or null when there is no header, or one of another scheme
 * or shape. The scheme is read in either case.
 */
export function bearerToken(header: string | undefined): string | null {
  return BEARER.exec(header ?? '')?.[1] ?? null
}
