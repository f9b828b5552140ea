import { hasRepeatedKey } from '../lib/has-repeated-key.ts'

/**
 * Returns whether a text is a JWS in compact form (RFC 7515, section 7.1): three parts that are not empty, each in canonical base64url.
 * Decoders ignore white space, padding and unused bits at the end, so one token could otherwise be written in any number of ways.
 */
export function isCompactJws(text: string): boolean {
  const parts = text.split('.', 4)
  return parts.length === 3 && parts.every(isCanonical)
}

/**
 * Returns whether neither the header nor the claims of a token contain a key twice (RFC 7515, section 4; RFC 7519, section 4): some parsers
 * use the first value and others the last. The token must be verified, so that both are JSON objects.
 */
export function namesAreUnique(token: string): boolean {
  return token
    .split('.', 2)
    .map((part) => Buffer.from(part, 'base64url').toString('utf8'))
    .every((json) => !hasRepeatedKey(json))
}

function isCanonical(part: string): boolean {
  return part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part
}
