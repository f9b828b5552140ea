import { bearerToken } from '../../access/caller.ts'
import type { DistinctHeaders } from '../server/client-caller.ts'

/** Keys under which clients and routers send the token in `connectionParams`. */
const NAMES = ['authorization', 'Authorization', 'token'] as const

/**
 * Returns the token of a WebSocket connection: from its parameters, with or without the prefix Bearer, otherwise from the upgrade
 * request. Null if there is none. Malformed or repeated values are returned too; the verifier refuses them.
 */
export function connectionToken(params: unknown, { authorization }: DistinctHeaders): string | null {
  const given = NAMES.map((name) => (params as Record<string, unknown> | null | undefined)?.[name]).find(
    (value) => typeof value === 'string' && value !== '',
  )
  const value = (given as string | undefined) ?? authorization?.join(', ')
  return value === undefined ? null : (bearerToken(value) ?? value)
}
