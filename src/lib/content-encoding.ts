/** The registered codings (RFC 9110, section 16.6.1) but `identity`, also with the prefix `x-`. */
const CODINGS = /\b(?:aes128gcm|br|compress|dcb|dcz|deflate|exi|gzip|zstd)\b/i

/**
 * Returns whether a body with this Content-Encoding has to be decoded. Some senders name a charset there, or nothing: such a body is what it
 * would be without the header.
 */
export function isEncoded(contentEncoding: string): boolean {
  return CODINGS.test(contentEncoding)
}
