/** Headers that a page of an allowed origin may read, besides those that browsers always show. */
export const EXPOSED_HEADERS = 'Retry-After, ETag'

const YEAR_S = 31_536_000

/** Nothing served here is a page: nothing may be executed, framed or submitted to. */
const NO_PAGE = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/**
 * Returns the headers of every response for browsers and caches: it must not be framed, type-sniffed, stored, or named in a referrer
 * (OWASP, REST security cheat sheet). A route and CORS add their own.
 */
export function safeHeaders(publicUrl: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': NO_PAGE,
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'private, no-store',
    // Ignored over plain http. Behind a proxy that terminates TLS, only the public URL shows that TLS is used.
    ...(publicUrl.startsWith('https:') ? { 'strict-transport-security': `max-age=${YEAR_S}` } : {}),
  }
}
