import { hasRepeatedKey } from '../lib/has-repeated-key.ts'

/**
 * Returns whether a text is a JWS in compact form (RFC 7515, section 7.1): three non-empty parts, each in canonical base64url. Decoders
 * ignore white space, padding and loose bits at the end, so otherwise one token would have any number of spellings.
 */
export function isCompactJws(text: string): boolean {
  const parts = text.split('.', 4)
  return parts.length === 3 && parts.every(isCanonical)
}

/**
 * Returns whether neither the header nor the claims of a token contain a name twice (RFC 7515, section 4; RFC 7519, section 4): of two
 * values one reader takes the first and another the last. The token has been verified, so both are JSON objects.
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
