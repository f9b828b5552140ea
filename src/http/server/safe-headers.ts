const YEAR_S = 31_536_000

/** Nothing that is served here is a page, so nothing of it may be run, framed, or posted to. */
const NO_PAGE = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/**
 * What every answer says to a browser and to the caches before it: not to show it, guess its type, keep it, or tell others
 * about it (OWASP, REST security cheat sheet). Those of a route or of the cross-origin rules come on top.
 */
export function safeHeaders(publicUrl: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': NO_PAGE,
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'private, no-store',
    // Over plain http it is ignored; and behind a proxy that ends TLS only the public address tells that there is any.
    ...(publicUrl.startsWith('https:') ? { 'strict-transport-security': `max-age=${YEAR_S}` } : {}),
  }
}
