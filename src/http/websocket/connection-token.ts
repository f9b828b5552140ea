import { bearerToken } from '../../access/bearer.ts'
import type { DistinctHeaders } from '../server/client-caller.ts'

/** Names under which clients and routers put the token into the connection's parameters. */
const NAMES = ['authorization', 'Authorization', 'token'] as const

/**
 * The token of a WebSocket connection: from its parameters, with or without the word Bearer before it, otherwise from the
 * upgrade request. Null when there is none. What is no token, or several of them, is given too, for the verifier to refuse.
 */
export function connectionToken(params: unknown, { authorization }: DistinctHeaders): string | null {
  const given = NAMES.map((name) => (params as Record<string, unknown> | null | undefined)?.[name]).find(
    (value) => typeof value === 'string' && value !== '',
  )
  const value = (given as string | undefined) ?? authorization?.join(', ')
  return value === undefined ? null : (bearerToken(value) ?? value)
}
