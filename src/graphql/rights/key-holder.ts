import type { Caller } from '../../access/caller.ts'
import { hasScope } from '../../access/caller.ts'
import type { Scope } from '../../access/scopes.ts'
import type { KeyHolder } from '../../commands/idempotency/idempotent-command.ts'

/** Tokens without a subject or a client cannot be told apart: their callers share their keys. */
const UNNAMED = 'unnamed'

/** To whom the idempotency keys of a caller belong. `reading` is the right to read whatever the command makes. */
export function keyHolder(caller: Caller, reading: Scope): KeyHolder {
  return { keyScope: keyScopeOf(caller), mayRead: hasScope(caller, reading) }
}

/** Within which a caller's idempotency keys are unique, for each mutation. */
export function keyScopeOf(caller: Caller): string {
  return (caller.kind === 'client' ? caller.identity : null) ?? UNNAMED
}
