const BEARER = /^bearer +([\w.~+/-]+=*)$/i

/**
 * Returns the token of an Authorization header (RFC 6750, section 2.1); null without a header, or with another scheme or format. The
 * scheme is not case-sensitive.
 */
export function bearerToken(header: string | undefined): string | null {
  return BEARER.exec(header ?? '')?.[1] ?? null
}
