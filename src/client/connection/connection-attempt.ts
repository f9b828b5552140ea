import { renewalMs, type Tokens } from '../token-source.ts'
import type { Reader } from '../watch/item-reader.ts'
import type { WatchOptions } from '../watch/watch-options.ts'
import type { ConnectionRequest, OpenConnection } from './connection.ts'
import type { Connection, AttemptEnd } from './reconnect.ts'
import type { Timing } from './timing.ts'
import { onWake } from './wake-signal.ts'

export type ConnectionAttempt = {
  /** Index of the transport. */
  readonly transport: number
  readonly open: (transport: number) => { readonly open: OpenConnection; readonly carrying: Connection }
  readonly request: (token: string | null) => ConnectionRequest
  readonly token: string | null
  readonly tokens: Tokens
  readonly reader: Reader
  readonly tell: (connection: Connection) => void
  readonly signal: AbortSignal
  readonly options: Pick<WatchOptions, 'wake'>
  readonly timing: Timing
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
  const { transport, open, request, token, tokens, reader, tell, signal, options, timing } = about
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
          better === null ? lookForBetter(Math.min(ms * 2, LONGEST_MS)) : finish({ kind: 'better', transport: better }),
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
        if (transport > 0) lookForBetter(timing.upgradeMs)
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
