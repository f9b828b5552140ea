import { randomBytes, randomInt } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** Returns an identifier in the form of the payments API: 8 upper-case letters and digits (gap sheet, section 10). */
export function newUuid(isTaken: (uuid: string) => boolean): string {
  for (;;) {
    const uuid = Array.from({ length: 8 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
    if (!isTaken(uuid)) return uuid
  }
}

/** Returns a reusable card token (docs/payments-api.md, section 6.2). */
export function newToken(): string {
  return `tok_${randomBytes(12).toString('hex')}`
}
