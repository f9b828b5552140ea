import { bad, good, type Parser } from './parsers.ts'

/**
 * Default limits of a WebSocket and its peer. For the numbers of sockets, and of streams per token or caller, 0 means no limit. The
 * comments are the table in docs/operations/overload.md.
 */
export const SOCKET_LIMITS = {
  /** Milliseconds within which a client must initialise the connection; then 4408. */
  initMs: 3_000,
  /** Milliseconds between two pings; an unanswered one closes the socket with 1013 when the next is due. */
  keepAliveMs: 12_000,
  /**
   * Bytes of one message, in at most 1,000 fragments; a longer one closes the socket with 1009, more fragments with 1008.
   */
  messageBytes: 64 * 1024,
  /** Bytes that may be buffered for a peer; above this, reading from the socket pauses. */
  bufferedBytes: 1024 * 1024,
  /** Milliseconds for which the buffer may exceed that size; then 1013. */
  bufferedMs: 10_000,
  /** Concurrent streams of a socket, and as many other operations; the next gets `TOO_MANY_OPERATIONS`. */
  streams: 20,
  /**
   * Operations that one socket may start per second, four times as many at once; above this it is closed with 4429.
   */
  operationsPerSecond: 50,
  /**
   * Messages, pings and pongs of one socket per second, four times as many at once; above this it is closed with 4429.
   */
  messagesPerSecond: 100,
  /** Bytes of messages of one socket per second, four times as many at once; above this it is closed with 4429. */
  bytesPerSecond: 256 * 1024,
  /** Open sockets of an address, for IPv6 of a /64 network; the next is refused at the upgrade, with 429 and Retry-After. */
  perAddress: 1_000,
  /** Open sockets of a caller, over all its tokens; the next is closed with 1013. */
  perSubject: 1_000,
  /**
   * Open streams with one status token, or of the owner of one link or payment, over every transport; the next ends the oldest, with
   * `TOO_MANY_OPERATIONS`.
   */
  streamsPerToken: 20,
  /**
   * Open streams of a caller, over every transport and all its tokens; the next gets `TOO_MANY_OPERATIONS`.
   */
  streamsPerSubject: 10_000,
}

export type SocketLimits = { readonly [Name in keyof typeof SOCKET_LIMITS]: number }

/** A router multiplexes many clients over one socket: all those without a token, or all streams of one token. */
const CLIENTS_OF_ROUTER = 1_000

/** Returns the limits of a socket opened by a router, shared by all its clients. The router has to limit its clients itself. */
export function limitsOfRouter(limits: SocketLimits): SocketLimits {
  const { streams, operationsPerSecond, messagesPerSecond, bytesPerSecond } = limits
  return {
    ...limits,
    streams: streams * CLIENTS_OF_ROUTER,
    operationsPerSecond: operationsPerSecond * CLIENTS_OF_ROUTER,
    messagesPerSecond: messagesPerSecond * CLIENTS_OF_ROUTER,
    bytesPerSecond: bytesPerSecond * CLIENTS_OF_ROUTER,
  }
}

/** Default limits of operations. The table in docs/graphql.md says what each counts. */
export const GRAPHQL_LIMITS = {
  tokens: 1_000,
  depth: 10,
  aliases: 15,
  rootFields: 10,
  directives: 10,
  cost: 2_000,
  page: 100,
  entities: 100,
  variableBytes: 50 * 1024,
  bodyBytes: 100 * 1024,
  timeoutMs: 10_000,
}

const MOST_BYTES = 10 * 1024 * 1024

/** Parses limits of operations by name, such as `depth=12,cost=4000`; those that are not named keep their defaults. */
export const parseGraphqlLimits = limitsOf(GRAPHQL_LIMITS, {
  // The recursion of the parser and of tree walks needs about four stack frames per token.
  most: { tokens: 2_000, page: 100, variableBytes: MOST_BYTES, bodyBytes: MOST_BYTES, timeoutMs: 600_000 },
})

/** Parses limits of a WebSocket in the same way. */
export const parseSocketLimits = limitsOf(SOCKET_LIMITS, {
  mayBeZero: ['perAddress', 'perSubject', 'streamsPerToken', 'streamsPerSubject'],
})

type Bounds<Name extends string> = {
  readonly mayBeZero?: readonly Name[]
  readonly most?: { readonly [Limit in Name]?: number }
}

const ENTRY = /^([A-Za-z]+)=(\d{1,9})$/

function limitsOf<Name extends string>(
  defaults: Readonly<Record<Name, number>>,
  { mayBeZero = [], most = {} }: Bounds<NoInfer<Name>>,
): Parser<Readonly<Record<Name, number>>> {
  const names = Object.keys(defaults) as Name[]
  return (text) => {
    const limits: Record<Name, number> = { ...defaults }
    for (const [index, entry] of text.split(',').entries()) {
      const [, given, digits] = ENTRY.exec(entry.trim()) ?? []
      const name = names.find((known) => known === given)
      if (name === undefined)
        return bad(`entry ${index + 1} must be name=number, where name is one of ${names.join(', ')}`)
      const figure = Number(digits)
      const highest = most[name]
      if (figure === 0 && !mayBeZero.includes(name)) return bad(`entry ${index + 1} must be greater than 0`)
      if (highest !== undefined && figure > highest) return bad(`entry ${index + 1} must be at most ${highest}`)
      limits[name] = figure
    }
    return good(limits)
  }
}
