import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer, type ServerOptions } from 'ws'
import { GraphqlSocket, type Opening } from './graphql-socket.ts'
import type { Connection, SharedTimer, SocketHandlers, SocketLimits, SocketLogger, SocketParts } from './handlers.ts'
import { openByLibrary } from './library-socket.ts'
import { CLOSING, selectProtocol } from './protocol.ts'

export type SocketServerOptions<Session> = {
  readonly handlers: SocketHandlers<Session>
  readonly timer: SharedTimer
  readonly logger: SocketLogger
  /**
   * Bytes of one message, in at most 1,000 fragments; a longer one closes the socket with 1009, by its declared length alone, and more
   * fragments close it with 1008.
   */
  readonly messageBytes: number
  /** Parses the text of a message. Throws for a text that is to be refused. Default: `JSON.parse`. */
  readonly parse?: (text: string) => unknown
}

/** How a connection begins. */
export type OpeningOf<Session> = {
  readonly limits: SocketLimits
  /** Returns what the app keeps of the connection. */
  readonly sessionFor: (connection: Connection) => Session
}

export type SocketServer<Session> = {
  /** Number of open sockets. */
  readonly count: number
  /**
   * Answers a handshake (RFC 6455, section 4.2), and opens a socket if it is valid. Returns whether it has. `socket` and `head` are those of
   * the event `upgrade` of a server of Node.js.
   */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, opening: OpeningOf<Session>): boolean
  /** Closes every socket with 1012, spread over so many milliseconds, so that clients reconnect to another process. Opens no more. */
  close(overMs: number): Promise<void>
}

/** Largest number of fragments of a message, and of chunks of a frame: each costs more memory than its bytes. */
const MAX_PARTS = 1_000
/** Milliseconds that a peer has to answer the close frame before its connection is destroyed. */
const GOODBYE_MS = 2_000
/** The same when the server closes, so that silent peers delay it for less than two seconds. */
const DRAIN_GOODBYE_MS = 1_500

/**
 * Serves subscriptions, queries and mutations over `graphql-transport-ws`.
 *
 * @example
 * const sockets = createSocketServer({ handlers, timer, logger: console, messageBytes: 65_536 })
 * server.on('upgrade', (request, socket, head) => sockets.upgrade(request, socket, head, { limits, sessionFor }))
 */
export function createSocketServer<Session>(options: SocketServerOptions<Session>): SocketServer<Session> {
  const sockets = new WebSocketServer<typeof GraphqlSocket>({ ...settingsFor(options), WebSocket: GraphqlSocket })
  const parts = partsOf(options)
  return serverOf(sockets, (socket, connection, opening) => socket.open(connection, parts, opening))
}

/** Serves the same with graphql-ws, to be put in the place of the other one. README.md says which limits it lacks. */
export function createLibrarySocketServer<Session>(options: SocketServerOptions<Session>): SocketServer<Session> {
  const parts = partsOf(options)
  return serverOf(new WebSocketServer(settingsFor(options)), (socket, _connection, opening) =>
    openByLibrary(socket, parts, opening),
  )
}

function partsOf<Session>({ handlers, timer, logger, parse = JSON.parse }: SocketServerOptions<Session>): SocketParts {
  return { handlers, timer, logger, parse }
}

type AnyServer<Socket extends WebSocket> = Pick<WebSocketServer, 'close'> & {
  readonly clients: ReadonlySet<Socket>
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, then: (opened: Socket) => void): void
}

function serverOf<Socket extends WebSocket>(
  sockets: AnyServer<Socket>,
  open: (opened: Socket, connection: Duplex, opening: Opening) => void,
): SocketServer<unknown> {
  return {
    get count() {
      return sockets.clients.size
    },
    upgrade(request, socket, head, opening) {
      let isOpened = false
      sockets.handleUpgrade(request, socket, head, (opened) => {
        isOpened = true
        open(opened, socket, opening)
      })
      return isOpened
    },
    async close(overMs) {
      const betweenMs = overMs / sockets.clients.size
      for (const [index, socket] of [...sockets.clients].entries())
        setTimeout(() => socket.close(...CLOSING.restart), index * betweenMs).unref()
      const cut = () => sockets.clients.forEach((socket) => socket.terminate())
      const stragglers = setTimeout(cut, overMs + DRAIN_GOODBYE_MS)
      await new Promise((resolve) => sockets.close(resolve))
      clearTimeout(stragglers)
    },
  }
}

/** The last option is documented by `ws` but missing in its types. */
function settingsFor({ messageBytes }: Pick<SocketServerOptions<unknown>, 'messageBytes'>) {
  return {
    noServer: true,
    handleProtocols: selectProtocol,
    perMessageDeflate: false,
    maxPayload: messageBytes,
    maxFragments: MAX_PARTS,
    maxBufferedChunks: MAX_PARTS,
    closeTimeout: GOODBYE_MS,
  } satisfies ServerOptions & Record<'closeTimeout', number>
}
