import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { type ConcurrencyLimiter, createConcurrencyLimiter } from '../limits/concurrency-limiter.ts'
import { peerName } from './client-address.ts'
import { closeLingering } from './close-lingering.ts'

type ConnectionLimit = {
  /** Maximum number of open connections per address; 0 for no limit. */
  readonly perAddress: number
  /** Whether the connections of an address are not counted because many clients share it. */
  readonly isExempt: (address: string | undefined) => boolean
  /** Whether a request is proved to come from the router; its connection is not counted from then on. */
  readonly isRouter: (request: IncomingMessage) => boolean
  readonly onRefused: () => void
}

/**
 * Closes connections above the limit of their address before any byte is read. WebSockets count as well. Returns the function that tells how
 * much of the limit is used.
 */
export function limitConnections(server: Server, limit: ConnectionLimit): ConcurrencyLimiter['most'] {
  const { perAddress, isExempt, isRouter, onRefused } = limit
  if (perAddress === 0) return () => ({ used: 0, maximum: 0 })
  const connections = createConcurrencyLimiter(perAddress)
  const counted = new WeakMap<Socket, string>()
  const release = (socket: Socket) => {
    const address = counted.get(socket)
    if (address === undefined) return
    counted.delete(socket)
    connections.release(address)
  }
  server.on('connection', (socket: Socket) => {
    if (isExempt(socket.remoteAddress)) return
    const address = peerName(socket.remoteAddress)
    if (!connections.acquire(address)) {
      onRefused()
      socket.destroy()
      return
    }
    counted.set(socket, address)
    socket.once('close', () => release(socket))
  })
  const releaseRouter = (request: IncomingMessage) => {
    if (counted.has(request.socket) && isRouter(request)) release(request.socket)
  }
  server.on('request', releaseRouter)
  server.on('upgrade', releaseRouter)
  return connections.most
}

/** The state of one connection. */
type TrackedConnection = {
  /** Milliseconds of `performance.now()`. */
  readonly acceptedAt: number
  /** The latest request, until it is complete and answered: it would stay in memory with an idle connection. Earlier ones are complete. */
  last: IncomingMessage | null
  /** Number of requests without a response. */
  unanswered: number
  /** Bytes received when the latest response was sent; null before the first one. */
  answeredBytes: number | null
  /** Upgraded: another protocol reads and ends it. */
  upgraded: boolean
}

/** Calls back when a request whose response has been sent is complete: it may be answered before its last byte is read. */
export function whenComplete(request: IncomingMessage, then: () => void): void {
  if (request.complete) then()
  else request.once('close', then)
}

type Connections = {
  readonly open: ReadonlyMap<Socket, TrackedConnection>
  /** Called when a connection opens, when a request arrives on it, and when a request is answered or aborted. */
  onChange: (socket: Socket, connection: TrackedConnection) => void
}

/**
 * Tracks the connections of a server. Requests are counted before the server's own listeners see them. A connection that ends while a body
 * is still being sent is closed in stages.
 */
export function trackConnections(server: Server): Connections {
  const open = new Map<Socket, TrackedConnection>()
  const connections: Connections = { open, onChange: () => {} }

  server.on('connection', (socket) => {
    const connection: TrackedConnection = {
      acceptedAt: performance.now(),
      last: null,
      unanswered: 0,
      answeredBytes: null,
      upgraded: false,
    }
    open.set(socket, connection)
    socket.once('close', () => open.delete(socket))
    // What Node calls after a response that ends the connection.
    const destroySoon = socket.destroySoon.bind(socket)
    socket.destroySoon = () => {
      const { last } = connection
      if (last === null || last.complete || !socket.writable) return destroySoon()
      last.unpipe().resume()
      closeLingering(socket)
    }
    connections.onChange(socket, connection)
  })
  server.prependListener('request', (request, response) => {
    const { socket } = request
    const connection = open.get(socket)
    if (connection === undefined) return
    connection.unanswered += 1
    connection.last = request
    connections.onChange(socket, connection)
    response.on('close', () => {
      connection.unanswered -= 1
      connection.answeredBytes = socket.bytesRead
      whenComplete(request, () => {
        if (connection.last === request) connection.last = null
      })
      connections.onChange(socket, connection)
    })
  })
  server.on('upgrade', ({ socket }) => {
    const connection = open.get(socket)
    if (connection !== undefined) connection.upgraded = true
  })
  return connections
}

/** Closes the connections of a server at shutdown, so that idle ones do not delay it. */
export type ConnectionDrain = {
  /**
   * Closes every connection without a request in progress, now and until the server is closed: immediately after a response, one
   * second after it was accepted if nothing was received, within one second if a header is incomplete, and within one and a half
   * if a body is.
   */
  begin(): void
  /** Destroys every connection, including upgraded ones. */
  destroyAll(): void
}

/** Milliseconds for the first byte after a connection is accepted, and for the rest of an incomplete header. */
const QUIET_MS = 1_000
/** Milliseconds for the rest of a body. A webhook that is cut is sent again by the payments API. */
const BODY_MS = 1_500

/**
 * Drains the connections of a server. Node's own `closeIdleConnections` leaves those open on which no request was ever completed,
 * such as preconnects of browsers and TCP probes, until the header timeout.
 */
export function drainConnections(connections: Connections): ConnectionDrain {
  const { open } = connections

  const endIfQuiet = (socket: Socket, connection: TrackedConnection, drainingSince: number) => {
    const { unanswered, last, answeredBytes, acceptedAt, upgraded } = connection
    if (upgraded || unanswered > 1 || (unanswered === 1 && last?.complete !== false)) return
    if (unanswered === 0 && last === null && answeredBytes === socket.bytesRead) return socket.destroySoon()
    const since = socket.bytesRead === 0 ? acceptedAt : drainingSince
    const left = since + (unanswered === 0 ? QUIET_MS : BODY_MS) - performance.now()
    if (left <= 0) return void socket.destroy()
    setTimeout(endIfQuiet, left, socket, connection, drainingSince)
  }

  return {
    begin() {
      const begunAt = performance.now()
      connections.onChange = (socket, connection) => endIfQuiet(socket, connection, begunAt)
      for (const [socket, connection] of open) endIfQuiet(socket, connection, begunAt)
    },
    destroyAll() {
      for (const socket of open.keys()) socket.destroy()
    },
  }
}

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
    const unfinished = [...open.values()].flatMap(({ last, answeredBytes, unanswered }) =>
      // What comes behind the response is dropped.
      unanswered === 0 || last === null || last.complete || last.destroyed || streamed.has(last)
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
