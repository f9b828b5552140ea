import { type PaymentsClientError, renewalMs, type Tokens } from '../client-errors.ts'
import { spreadMs } from '../request/retry-request.ts'
import type { ConnectionRequest, OpenConnection, ConnectionEnd } from './connection.ts'
import type { Reader } from './item-reader.ts'
import type { Timing } from './timing.ts'
import { openPolling } from './transports/polling.ts'
import { openEvents } from './transports/server-sent-events.ts'
import { openSocket } from './transports/socket.ts'

type ConnectionAttempt = {
  /** Index of the transport. */
  readonly transport: number
  readonly open: (transport: number) => { readonly open: OpenConnection; readonly carrying: Connection }
  readonly request: (token: string | null) => ConnectionRequest
  readonly token: string | null
  readonly tokens: Tokens
  readonly reader: Reader
  readonly tell: (connection: Connection) => void
  readonly signal: AbortSignal
  readonly options: { readonly wake?: WakeSource }
  readonly timing: Timing
  /** Delay before a better transport is tried. */
  readonly upgradeMs: number
}

/** Minimum delay before a token renewal, in milliseconds. */
const LEAST_MS = 1_000
/** Maximum delay between two attempts to open a better transport, in milliseconds. */
const LONGEST_MS = 300_000

/**
 * Runs the subscription over one connection. Resolves with the reason to open another one; null when the subscription is
 * over.
 */
export function runAttempt(about: ConnectionAttempt): Promise<AttemptEnd | null> {
  const { transport, open, request, token, tokens, reader, tell, signal, options, timing, upgradeMs } = about
  return new Promise((resolve) => {
    const endings: (() => void)[] = []
    let over = false
    const finish = (end: AttemptEnd | null) => {
      if (over) return
      over = true
      for (const tidy of endings) tidy()
      resolve(end)
    }
    const later = (ms: number, action: () => void) => {
      if (over) return
      const timer = setTimeout(action, ms)
      endings.push(() => clearTimeout(timer))
    }

    /** Replaces the connection by one with a new token before the old token expires. */
    const renewLater = (ms: number | null) => {
      if (ms === null) return
      later(ms, () => {
        const asked = tokens.renew()
        asked.then(
          (next) => (next === token ? renewLater(leftMs(token)) : finish({ kind: 'renew' })),
          () => renewLater(leftMs(token)),
        )
      })
    }
    const probing = new AbortController()
    endings.push(() => probing.abort())
    const lookForBetter = (ms: number) =>
      later(ms, () => {
        void firstThatOpens(about, probing.signal).then((better) =>
          better === null
            ? lookForBetter(Math.min(Math.max(ms * 2, timing.upgradeMs), LONGEST_MS))
            : finish({ kind: 'better', transport: better }),
        )
      })

    const { open: openConnection, carrying } = open(transport)
    const abort = () => finish(null)
    signal.addEventListener('abort', abort)
    endings.push(() => signal.removeEventListener('abort', abort))
    const connection = openConnection(request(token), {
      opened: () => {
        tell(carrying)
        renewLater(renewalMs(token, Date.now()))
        if (transport > 0) lookForBetter(upgradeMs)
      },
      item: (item) => {
        const outcome = reader.take(item)
        if (outcome !== 'taken') finish({ kind: outcome })
      },
      ended: finish,
    })
    if (over) return connection.close()
    endings.push(
      () => connection.close(),
      onWake(() => connection.check(), options.wake),
    )
  })
}

/** Milliseconds until a token is renewed, at least `LEAST_MS`; null when it has expired or does not expire. */
function leftMs(token: string | null): number | null {
  const ms = renewalMs(token, Date.now())
  return ms === null ? null : Math.max(ms, LEAST_MS)
}

/** Returns the index of the best transport above this one that opens; null when none does. */
async function firstThatOpens(
  { transport, open, request, token }: ConnectionAttempt,
  signal: AbortSignal,
): Promise<number | null> {
  for (let index = 0; index < transport && !signal.aborted; index++)
    if (await opens(open(index).open, request(token), signal)) return index
  return null
}

/** Opens a connection to test whether the transport works, and closes it again. */
function opens(openConnection: OpenConnection, request: ConnectionRequest, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isOpen: boolean) => {
      signal.removeEventListener('abort', giveUp)
      connection.close()
      resolve(isOpen)
    }
    const giveUp = () => settle(false)
    signal.addEventListener('abort', giveUp)
    const connection = openConnection(request, { opened: () => settle(true), item: () => {}, ended: giveUp })
  })
}

/** The state of a subscription's connection. */
export type Connection = 'connecting' | 'live' | 'reconnecting' | 'polling' | 'offline' | 'closed'

/** Why a watch has to open another connection. */
export type AttemptEnd =
  | ConnectionEnd
  /** The stream must be reopened at once. */
  | { readonly kind: 'gap' | 'resync' | 'renew' }
  /** A better transport is available, at this index. */
  | { readonly kind: 'better'; readonly transport: number }

/** State that is kept between connections. */
export type Attempts = {
  /** Index of the transport to use. */
  readonly transport: number
  /** Consecutive failed attempts. */
  readonly failures: number
  /** Consecutive connections of this transport that opened and delivered nothing. */
  readonly fruitless: number
  /** Consecutive rejected tokens. */
  readonly refusals: number
}

type Step =
  | { readonly fail: PaymentsClientError }
  | {
      readonly attempts: Attempts
      readonly waitMs: number
      /** The connection state to report; null to report no change. */
      readonly connection: 'reconnecting' | 'offline' | null
    }

export type Circumstances = {
  /** Number of transports. */
  readonly transports: number
  readonly timing: Timing
  /** Whether the connection has delivered anything. */
  readonly isFruitful: boolean
  /** Whether no connection has opened yet. */
  readonly isNew: boolean
  /** Whether a new token can be requested. */
  readonly mayRenew: boolean
  /** A random number between 0 and 1. */
  readonly random: number
}

export const NO_ATTEMPTS: Attempts = { transport: 0, failures: 0, fruitless: 0, refusals: 0 }

/** After this many consecutive connections without data, the transport counts as not working here. */
const FRUITLESS = 3

/** Returns what to do after a connection has ended. */
export function nextStep(before: Attempts, end: AttemptEnd, circumstances: Circumstances): Step {
  const about = isCrowdedOut(end) ? { ...circumstances, isFruitful: false } : circumstances
  const attempts = about.isFruitful ? { ...NO_ATTEMPTS, transport: before.transport } : before
  if (end.kind === 'better') return at({ ...attempts, transport: end.transport }, 0, null)
  if (!('error' in end)) return again(attempts, about)
  if (end.error.code === 'UNAUTHENTICATED') return withAnotherToken(attempts, end.error, about)
  if (end.kind === 'refused') return { fail: end.error }
  if (end.kind === 'unopened') return elsewhere(attempts, end.error, about)
  if (end.kind === 'restarting' && attempts.failures === 0)
    return at({ ...attempts, failures: 1 }, about.timing.restartMs * about.random, 'reconnecting')
  return retryLater(attempts, end.error, about)
}

/**
 * Whether the server closed the connection in favour of a newer one with the same status token. Reconnecting at once would
 * close another connection, which would then reconnect as well. So this counts as a failure even if the connection delivered
 * data, and the subscription finally polls.
 */
function isCrowdedOut(end: AttemptEnd): boolean {
  return 'error' in end && end.error.code === 'TOO_MANY_OPERATIONS'
}

/** Milliseconds before an attempt: doubled with each failure, with jitter over the upper half. */
export function backoffMs(failures: number, { timing, random }: Pick<Circumstances, 'timing' | 'random'>): number {
  const full = Math.min(timing.retryMaxMs, timing.retryMs * 2 ** Math.max(0, failures - 1))
  return full * (0.5 + random / 2)
}

function again(attempts: Attempts, about: Circumstances): Step {
  const failures = attempts.failures + 1
  return at({ ...attempts, failures }, failures === 1 ? 0 : backoffMs(failures, about), null)
}

function withAnotherToken(attempts: Attempts, error: PaymentsClientError, { mayRenew }: Circumstances): Step {
  if (!mayRenew || attempts.refusals > 0) return { fail: error }
  return at({ ...attempts, refusals: 1 }, 0, null)
}

/**
 * Switches to the next transport; after the last one, to the first one after a delay. Until a connection has opened, only the last one is
 * tried again, which takes one request, and a response from something that is not the graph is final.
 */
function elsewhere(attempts: Attempts, error: PaymentsClientError, about: Circumstances): Step {
  const next = (attempts.transport + 1) % about.transports
  if (next !== 0) return at({ ...attempts, transport: next, fruitless: 0 }, 0, 'reconnecting')
  if (about.isNew && error.status !== null && !error.retryable) return { fail: error }
  const transport = about.isNew && error.code !== 'UNSUPPORTED' ? attempts.transport : 0
  const failures = attempts.failures + 1
  return at({ ...attempts, transport, failures, fruitless: 0 }, backoffMs(failures, about), 'offline')
}

function retryLater(attempts: Attempts, error: PaymentsClientError, about: Circumstances): Step {
  const { retryAfterMs } = error
  const fruitless = attempts.fruitless + (about.isFruitful ? 0 : 1)
  if (retryAfterMs === null && fruitless >= FRUITLESS) return elsewhere(attempts, error, about)
  const failures = attempts.failures + 1
  const waitMs = Math.max(spreadMs(retryAfterMs ?? 0, about.random), backoffMs(failures, about))
  // The server refuses clients over every transport; after the wait, the best transport is tried first.
  const transport = retryAfterMs === null ? attempts.transport : 0
  return at({ ...attempts, transport, failures, fruitless }, waitMs, 'reconnecting')
}

function at(attempts: Attempts, waitMs: number, connection: 'reconnecting' | 'offline' | null): Step {
  return { attempts, waitMs, connection }
}

/** Calls `check` whenever the app returns to the foreground. Returns the function that stops it. */
export type WakeSource = (check: () => void) => () => void

/**
 * Calls `check` when a connection may have died unnoticed: the page becomes visible, is restored from the browser's cache,
 * or the network changes. Without a page, only `source` triggers it. Returns the function that stops it.
 */
export function onWake(check: () => void, source?: WakeSource): () => void {
  const listening: (() => void)[] = source === undefined ? [] : [source(check)]
  const on = (target: EventTarget, type: string, listener: () => void) => {
    target.addEventListener(type, listener)
    listening.push(() => target.removeEventListener(type, listener))
  }
  if (typeof window !== 'undefined' && typeof window.addEventListener === 'function')
    for (const type of ['online', 'offline', 'pageshow']) on(window, type, check)
  if (typeof document !== 'undefined' && typeof document.addEventListener === 'function')
    on(document, 'visibilitychange', () => {
      if (document.visibilityState === 'visible') check()
    })
  return () => {
    for (const end of listening.splice(0)) end()
  }
}

/** How updates arrive: over a WebSocket, as server-sent events, or by polling. */
export type Transport = 'socket' | 'sse' | 'polling'

/** Every transport, the best first. */
export const TRANSPORTS: readonly Transport[] = ['socket', 'sse', 'polling']

const CONNECTIONS: Readonly<Record<Transport, OpenConnection>> = {
  socket: openSocket,
  sse: openEvents,
  polling: openPolling,
}

/** Returns how to open a connection over a transport, and the connection state to report for it. */
export function connectionOver(transports: readonly Transport[], index: number) {
  const name = transports[index] ?? 'polling'
  return { open: CONNECTIONS[name], carrying: name === 'polling' ? ('polling' as const) : ('live' as const) }
}
