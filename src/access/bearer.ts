const BEARER = /^bearer +([\w.~+/-]+=*)$/i

/**
 * Returns the token of an Authorization header (RFC 6750, section 2.1); null if there is no header, or one of another scheme or format. The
 * scheme is matched without regard to case.
 */
export function bearerToken(header: string | undefined): string | null {
  return BEARER.exec(header ?? '')?.[1] ?? null
}
