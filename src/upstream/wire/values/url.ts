/** Gateway pages have a long token in their query. */
const LONGEST_URL = 8_192

/** The URL parser removes these silently, so the text would not be the URL that was checked. */
const BLANK = /[\s\p{Cc}]/u

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Returns whether a host is loopback, where plain http is safe. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname)
}

/**
 * Returns a URL to which a customer or a request may be sent: https, or http on loopback, without credentials. Null for
 * everything else, including `javascript:`.
 */
export function safeUrl(json: unknown): string | null {
  if (typeof json !== 'string' || json.length > LONGEST_URL || BLANK.test(json) || !URL.canParse(json)) return null
  const { protocol, hostname, username, password } = new URL(json)
  const secure = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  return secure && username === '' && password === '' ? json : null
}
