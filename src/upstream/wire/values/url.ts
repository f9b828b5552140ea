/** Gateway pages carry a long token in their query. */
const LONGEST_URL = 8_192

/** The URL parser drops these in silence, so that the text would not be the address that was checked. */
const BLANK = /[\s\p{Cc}]/u

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Whether an address is the machine itself, where plain http does no harm. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname)
}

/**
 * An address to which a customer, or a request, may be sent: https, or http on loopback, without credentials in it.
 * Null for everything else, `javascript:` among it.
 */
export function safeUrl(json: unknown): string | null {
  if (typeof json !== 'string' || json.length > LONGEST_URL || BLANK.test(json) || !URL.canParse(json)) return null
  const { protocol, hostname, username, password } = new URL(json)
  const secure = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  return secure && username === '' && password === '' ? json : null
}
