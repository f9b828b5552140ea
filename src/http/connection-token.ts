import type { IncomingHttpHeaders } from 'node:http'
import { bearerToken } from '../access/bearer.ts'

/** Names under which clients and routers put the token into the connection's parameters. */
const NAMES = ['authorization', 'Authorization', 'token'] as const

/**
 * The token of a WebSocket connection: from its parameters, with or without the word Bearer before it, otherwise from the
 * upgrade request. Null when there is none.
 */
export function connectionToken(params: unknown, headers: IncomingHttpHeaders): string | null {
  const given = NAMES.map((name) => (params as Record<string, unknown> | null | undefined)?.[name]).find(
    (value) => typeof value === 'string' && value !== '',
  )
  const value = (given as string | undefined) ?? headers.authorization
  return value === undefined ? null : (bearerToken(value) ?? value)
}
