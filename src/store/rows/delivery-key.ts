/** Half of a hash of 256 bits: the probability of a collision among 10^12 deliveries is below 10^-14. */
const KEY_BYTES = 16
const HASH = /^[0-9a-f]{64}$/

/**
 * Returns the id of a delivery, derived from the keyed hash of its body and URL: 22 characters, of which the first is a letter, so that
 * no command line takes it for an option. An argument that is not 64 hexadecimal digits is returned unchanged.
 */
export function deliveryKey(bodyHash: string): string {
  if (!HASH.test(bodyHash)) return bodyHash
  const bytes = Buffer.from(bodyHash.slice(0, 2 * KEY_BYTES), 'hex')
  bytes.writeUInt8(bytes.readUInt8(0) & 0x7f, 0)
  return bytes.toString('base64url')
}
