import { randomBytes, randomInt } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** An identifier as the payments API gives them: 8 upper-case letters and digits (gap sheet, section 10). */
export function newUuid(isTaken: (uuid: string) => boolean): string {
  for (;;) {
    const uuid = Array.from({ length: 8 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
    if (!isTaken(uuid)) return uuid
  }
}

/** A reusable card token (docs/payments-api.md, section 6.2). */
export function newToken(): string {
  return `tok_${randomBytes(12).toString('hex')}`
}
