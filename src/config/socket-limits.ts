import { bad, good } from './read-setting.ts'
import type { Parsed } from './read-setting.ts'

/** What a peer on a WebSocket may cost. A limit of 0 sockets, or of 0 streams of a token or a caller, stands for none. */
export type SocketLimits = {
  /** Milliseconds in which a socket must have been greeted. */
  readonly initMs: number
  /** Milliseconds between two pings. A peer that has not answered one when the next is due is cut. */
  readonly keepAliveMs: number
  /** Bytes of one message, in one frame or in several. */
  readonly messageBytes: number
  /** Bytes that may wait in this process for a peer; above that nothing more is read from it. */
  readonly bufferedBytes: number
  /** Milliseconds for which more may wait, before the peer is cut. */
  readonly bufferedMs: number
  /** Streams that one socket may have open at once, and as many other operations. */
  readonly streams: number
  /** Operations that one socket may begin per second, and four times as many at once. */
  readonly operationsPerSecond: number
  /** Messages, pings and pongs that one socket may send per second, and four times as many at once. */
  readonly messagesPerSecond: number
  /** Bytes of messages that one socket may send per second, and four times as many at once. */
  readonly bytesPerSecond: number
  /** Sockets from one address that may be open at once; of IPv6, from one network of 64 bits. */
  readonly perAddress: number
  /** Sockets that may be open at once with tokens of one caller. */
  readonly perSubject: number
  /** Streams, over every transport, that may be open at once with one status token, or by the owner of one link. */
  readonly streamsPerToken: number
  /** Streams, over every transport, that may be open at once with tokens of one caller. */
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

/** A router puts many clients onto one socket: all that have no token, and all streams of one token. */
const CLIENTS_OF_ROUTER = 1_000

/** The limits of a socket that a router has opened: what its clients may have together. The router guards itself. */
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

/** Limits by their names, such as `streams=50,perAddress=0`; what is not named keeps its default. */
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
