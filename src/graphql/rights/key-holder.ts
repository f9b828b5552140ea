import type { Caller } from '../../access/caller.ts'
import { hasScope } from '../../access/caller.ts'
import type { Scope } from '../../access/scopes.ts'
import type { KeyHolder } from '../../commands/idempotency/idempotent-command.ts'

/** Key scope of callers without an identity. They cannot be distinguished, so they share their idempotency keys. */
const UNNAMED = 'unnamed'

/** Returns the owner of a caller's idempotency keys. `reading` is the scope to read everything that the command can create. */
export function keyHolder(caller: Caller, reading: Scope): KeyHolder {
  return { keyScope: keyScopeOf(caller), mayRead: hasScope(caller, reading) }
}

/** Returns the subject of a caller's token; null if it names none. */
export function subjectOf(caller: Caller): string | null {
  return caller.kind === 'client' ? caller.subject : null
}

/** Returns the scope within which a caller's idempotency keys are unique, for each mutation. */
export function keyScopeOf(caller: Caller): string {
  return (caller.kind === 'client' ? caller.identity : null) ?? UNNAMED
}
