import type { EventFilter } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { badArgument } from '../error-formatter.ts'
import { connection, lastConnection, pageSize, pageStart } from './paging.ts'

/**
 * Returns a page of the events of a filter, oldest first. Throws a BAD_USER_INPUT error for an invalid `first` or `after`, also for a
 * cursor after which events have been pruned: the caller must not miss them without notice.
 */
export async function eventPage(
  filter: EventFilter,
  { first, after }: { readonly first: number; readonly after?: string | null | undefined },
  { store, cursors }: Context,
) {
  const size = pageSize(first)
  const start = pageStart(cursors, 'log', after)
  const rows = await store.log.read(start ?? 0, size + 1, filter)
  if (start !== null && start < (await store.log.horizon()))
    throw badArgument('after', 'is older than the events that are kept: read the state again')
  return connection(
    { rows, size, after },
    { cursor: (event) => cursors.encode('log', event.position), node: (event) => event },
  )
}

/** Returns the last events of a filter, oldest first. Throws a BAD_USER_INPUT error for an invalid `last` or `before`. */
export async function newestEvents(
  filter: EventFilter,
  { last, before }: { readonly last: number; readonly before?: string | null | undefined },
  { store, cursors }: Context,
) {
  const size = pageSize(last, 'last')
  const end = pageStart(cursors, 'log', before, 'before')
  const rows = await store.log.newest(size + 1, filter, end ?? undefined)
  return lastConnection({ rows, size, before }, (event) => cursors.encode('log', event.position))
}
