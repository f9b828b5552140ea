import { connection, pageSize, pageStart } from '../arguments/paging.ts'
import type { Context } from '../context.ts'

/** Returns a page of the events of one stream, oldest first. Throws a BAD_USER_INPUT error for an invalid `first` or `after`. */
export async function streamEvents(
  streamId: string,
  { first, after }: { first: number; after?: string | null | undefined },
  { store, cursors }: Context,
) {
  const size = pageSize(first)
  const start = pageStart(cursors, 'log', after) ?? 0
  const rows = await store.log.read(start, size + 1, { streamIds: [streamId] })
  return connection(
    { rows, size, after },
    { cursor: (event) => cursors.encode('log', event.position), node: (event) => event },
  )
}
