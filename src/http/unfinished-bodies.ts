import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

export type UnfinishedBodiesOptions = {
  /** Whose connection it is; null for one that is nobody's. */
  readonly addressOf: (request: IncomingMessage) => string | null
  readonly onCut: () => void
}

/** Bytes of bodies that are still on their way, of all peers and of one. A body of ours has at most a tenth of a mebibyte. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_BYTES_PER_ADDRESS = 16 * 1024 * 1024
const CHECK_EVERY_MS = 250

type Unfinished = { readonly request: IncomingMessage; readonly start: number }

/**
 * Bounds the memory of bodies that have begun and do not end. How many have begun is not bounded, because a peer that sends nothing costs
 * nothing but its connection. Above the limit the largest body of the address that has most is cut. Gives the function that ends it.
 */
export function limitUnfinishedBodies(server: Server, { addressOf, onCut }: UnfinishedBodiesOptions): () => void {
  const unfinished = new Set<Unfinished>()
  const readBefore = new WeakMap<Socket, number>()

  server.on('request', (request: IncomingMessage) => {
    if (!hasBody(request)) return
    const { socket } = request
    const entry = { request, start: readBefore.get(socket) ?? 0 }
    unfinished.add(entry)
    request.once('close', () => {
      unfinished.delete(entry)
      readBefore.set(socket, socket.bytesRead)
    })
  })
  const check = () => {
    const entries = [...unfinished].filter((entry) => !entry.request.complete)
    // Asked for here alone, since most bodies have ended by then.
    for (const request of excess(entries, (entry) => addressOf(entry) ?? entry.socket)) {
      onCut()
      request.destroy()
    }
  }
  const timer = setInterval(check, CHECK_EVERY_MS).unref()
  return () => clearInterval(timer)
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** The requests to cut so that the others stay within both limits. */
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
