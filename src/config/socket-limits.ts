import { bad, good, type Parsed } from './read-setting.ts'

/** Limits of a WebSocket and its peer. For the numbers of sockets, and of streams per token or caller, 0 means no limit. */
export type SocketLimits = {
  /** Milliseconds within which a client must initialise the connection. */
  readonly initMs: number
  /** Milliseconds between two pings. A socket whose ping is unanswered when the next is due is closed. */
  readonly keepAliveMs: number
  /** Bytes of one message, in one frame or in several. */
  readonly messageBytes: number
  /** Bytes that may be buffered for a peer; above this, reading from the socket pauses. */
  readonly bufferedBytes: number
  /** Milliseconds for which the buffer may exceed that size, before the socket is closed. */
  readonly bufferedMs: number
  /** Concurrent streams per socket, and the same number of other operations. */
  readonly streams: number
  /** Operations that one socket may start per second; four times as many in a burst. */
  readonly operationsPerSecond: number
  /** Messages, pings and pongs that one socket may send per second; four times as many in a burst. */
  readonly messagesPerSecond: number
  /** Bytes of messages that one socket may send per second; four times as many in a burst. */
  readonly bytesPerSecond: number
  /** Open sockets per address; for IPv6, per /64 network. */
  readonly perAddress: number
  /** Open sockets per caller, over all its tokens. */
  readonly perSubject: number
  /** Open streams per status token or per owner of one link, over every transport. */
  readonly streamsPerToken: number
  /** Open streams per caller, over every transport and all its tokens. */
  readonly streamsPerSubject: number
}

export const SOCKET_LIMITS: SocketLimits = {
  initMs: 3_000,
  keepAliveMs: 12_000,
  messageBytes: 64 * 1024,
  bufferedBytes: 1024 * 1024,
  bufferedMs: 10_000,
  streams: 20,
  operationsPerSecond: 50,
  messagesPerSecond: 100,
  bytesPerSecond: 256 * 1024,
  perAddress: 1_000,
  perSubject: 1_000,
  streamsPerToken: 20,
  streamsPerSubject: 10_000,
}

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

const MAY_BE_ZERO: ReadonlySet<string> = new Set<keyof SocketLimits>([
  'perAddress',
  'perSubject',
  'streamsPerToken',
  'streamsPerSubject',
])
const ENTRY = /^([A-Za-z]+)=(\d{1,9})$/

/** Parses limits by name, such as `streams=50,perAddress=0`; limits that are not named keep their defaults. */
export function parseSocketLimits(text: string): Parsed<SocketLimits> {
  const limits: Record<keyof SocketLimits, number> = { ...SOCKET_LIMITS }
  for (const [index, entry] of text.split(',').entries()) {
    const [, name = '', digits] = ENTRY.exec(entry.trim()) ?? []
    if (!isLimit(name)) return bad(`entry ${index + 1} must be name=number, where name is one of ${NAMES.join(', ')}`)
    const figure = Number(digits)
    if (figure === 0 && !MAY_BE_ZERO.has(name)) return bad(`entry ${index + 1} must be greater than 0`)
    limits[name] = figure
  }
  return good(limits)
}

const NAMES = Object.keys(SOCKET_LIMITS)

function isLimit(name: string): name is keyof SocketLimits {
  return NAMES.includes(name)
}
