import { type IncomingMessage, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { closeLingering } from './close-lingering.ts'
import { whenComplete } from './connections.ts'

/** Maximum number of pipelined requests that wait on one connection. Browsers and routers send one at a time. */
const MAX_PIPELINED = 100

/** Statuses of a request that cannot be read, by the code of the error. Every other one is 400. */
const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** Takes over the connection of a request that asks for another protocol. `head`: what was received behind the request. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

export type RequestsInOrder = {
  readonly onRequest: RequestListener
  /** Passes on an upgrade when the requests before it were answered (event `upgrade` of node:http). */
  readonly onUpgrade: UpgradeListener
  /** Answers bytes that are not HTTP, or that come too slowly, and closes the connection (event `clientError` of node:http). */
  readonly onClientError: (error: NodeJS.ErrnoException, socket: Socket) => void
}

/**
 * The responses to a connection's latest request and to the one that is being handled, and the number of requests that wait for it. Null when
 * that request is complete and answered: the response, with its header, would stay in memory with an idle connection.
 */
type Line = { last: ServerResponse | null; current: ServerResponse | null; waiting: number }

/**
 * Handles pipelined requests of a connection one at a time: a request starts after the one before it was answered, and not at all if
 * that response closed the connection. Node alone would run them concurrently, even after a refusal (RFC 9112, sections 9.3.2 and
 * 9.6). A connection with more than a hundred waiting requests is destroyed.
 */
export function answerInOrder(route: RequestListener, upgrade: UpgradeListener): RequestsInOrder {
  const lines = new WeakMap<Duplex, Line>()
  const lineOf = (socket: Duplex): Line => {
    const known = lines.get(socket)
    if (known !== undefined) return known
    const line = { last: null, current: null, waiting: 0 }
    lines.set(socket, line)
    return line
  }
  const begin = (line: Line, request: IncomingMessage, response: ServerResponse) => {
    line.current = response
    response.once('close', () => {
      if (line.current === response) line.current = null
    })
    route(request, response)
  }
  return {
    onRequest(request, response) {
      const { socket } = request
      const line = lineOf(socket)
      // Node drops what it has read behind a request whose upgrade it ignores, and would read on in the middle of the next one.
      if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false
      const before = line.last
      line.last = response
      response.once('close', () =>
        whenComplete(request, () => {
          if (line.last === response) line.last = null
        }),
      )
      // What follows on a connection that is being closed is dropped.
      if (!socket.writable) return socket.destroySoon()
      if (before === null || before.writableFinished) return begin(line, request, response)
      line.waiting += 1
      if (line.waiting > MAX_PIPELINED) return void socket.destroy()
      return void before.once('close', () => {
        line.waiting -= 1
        if (socket.writable) begin(line, request, response)
      })
    },
    onUpgrade(request, socket, head) {
      const line = lineOf(socket)
      const { last } = line
      if (last === null || last.writableFinished) return upgrade(request, socket, head)
      // Node has removed its listeners, on which the responses before still depend.
      const relays = (['drain', 'timeout'] as const).map((event) => {
        const relay = () => void line.current?.emit(event)
        socket.on(event, relay)
        return () => socket.off(event, relay)
      })
      const ignoreError = () => {}
      socket.on('error', ignoreError)
      return void last.once('close', () => {
        for (const end of relays) end()
        socket.off('error', ignoreError)
        if (socket.writable) upgrade(request, socket, head)
      })
    },
    onClientError(error, socket) {
      const { last, waiting } = lineOf(socket)
      if (last === null) return refuse(error, socket)
      const isInBody = !last.req.complete
      if (isInBody ? !last.headersSent && waiting === 0 : last.writableFinished) return refuse(error, socket)
      // A refusal now would be read as a second response to the latest request, or as part of its response.
      if (isInBody || last.headersSent) return void socket.destroy()
      // The request before the invalid bytes is still in progress.
      socket.pause()
      return void last.once('close', () => refuse(error, socket))
    },
  }
}

/** Sends a refusal without a body: the request may be a HEAD, whose answer must have none (RFC 9110, section 9.3.2). */
function refuse({ code }: NodeJS.ErrnoException, socket: Socket): void {
  const status = code === undefined ? 400 : (STATUSES[code] ?? 400)
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`
  // The parser reports each packet that follows, too.
  if (!socket.writable) return
  socket.write(head)
  closeLingering(socket)
}
