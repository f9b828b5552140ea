import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Connections } from './connections.ts'

/** Requests whose bodies are passed on as they come, so that they take no memory. */
const streamed = new WeakSet<IncomingMessage>()

/** Excludes the body of a request from the limit, because it is passed on as it comes. Its reader has a limit of its own. */
export function markStreamed(request: IncomingMessage): void {
  streamed.add(request)
}

export type UnfinishedBodiesOptions = {
  /** The address that a connection counts against; null if it is shared. */
  readonly addressOf: (request: IncomingMessage) => string | null
  readonly onCut: () => void
}

/** Bytes of incomplete bodies, in total and per address. One body may have at most 0.1 MiB. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_BYTES_PER_ADDRESS = 16 * 1024 * 1024
const CHECK_EVERY_MS = 250

/** `start`: bytes received on the connection before the request. */
type Unfinished = { readonly request: IncomingMessage; readonly start: number }

/**
 * Limits the memory of incomplete bodies. Their number is not limited, because a peer that sends nothing costs only its connection.
 * Above the limit, the largest body of the address with the most bytes is cut. Returns the function that removes the limit.
 */
export function limitUnfinishedBodies(
  { open }: Pick<Connections, 'open'>,
  { addressOf, onCut }: UnfinishedBodiesOptions,
): () => void {
  const check = () => {
    const unfinished = [...open.values()].flatMap(({ last, answeredBytes }) =>
      last === null || last.complete || last.destroyed || streamed.has(last)
        ? []
        : [{ request: last, start: answeredBytes ?? 0 }],
    )
    for (const request of excess(unfinished, (entry) => addressOf(entry) ?? entry.socket)) {
      onCut()
      request.destroy()
    }
  }
  const timer = setInterval(check, CHECK_EVERY_MS).unref()
  return () => clearInterval(timer)
}

/** Returns the requests to cut so that the others are within both limits. */
function excess(
  entries: readonly Unfinished[],
  addressOf: (request: IncomingMessage) => string | Socket,
): IncomingMessage[] {
  const cut: IncomingMessage[] = []
  const groups = [...Map.groupBy(entries, ({ request }) => addressOf(request)).values()].map((group) =>
    group.toSorted((a, b) => received(a) - received(b)),
  )
  let total = entries.reduce((sum, entry) => sum + received(entry), 0)
  const sums = groups.map((group) => group.reduce((sum, entry) => sum + received(entry), 0))
  for (;;) {
    const largest = sums.indexOf(Math.max(...sums))
    const sum = sums[largest] ?? 0
    const entry = total > MAX_BYTES || sum > MAX_BYTES_PER_ADDRESS ? groups[largest]?.pop() : undefined
    if (entry === undefined) return cut
    cut.push(entry.request)
    total -= received(entry)
    sums[largest] = sum - received(entry)
  }
}

function received({ request: { socket }, start }: Unfinished): number {
  return socket.bytesRead - start
}
