import { createHmac } from 'node:crypto'
import { JWT_SECRETS } from './processes.ts'

const LIFETIME_S = 3_600

/** Returns the header `authorization` of a client with these scopes. */
export function bearer(scope: string): string {
  const now = Math.floor(Date.now() / 1_000)
  const claims = { iat: now, exp: now + LIFETIME_S, iss: 'bench', aud: 'payments', sub: 'bench', scope }
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `Bearer ${signed}.${createHmac('sha256', JWT_SECRETS).update(signed).digest('base64url')}`
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
