import { randomBytes } from 'node:crypto'

/** Returns a new correlation id, which is part of the address of callbacks: 128 random bits, so that it cannot be guessed. */
export function newCorrelationId(): string {
  return randomBytes(16).toString('base64url')
}
