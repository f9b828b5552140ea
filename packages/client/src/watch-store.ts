import { asClientError, type PaymentsClientError } from './client-errors.ts'
import type { Connection } from './connection/connection-attempt.ts'
import type {
  AgreementDetails,
  EventDetails,
  LinkDetails,
  PaymentDetails,
  PaymentUpdate,
  PayoutDetails,
} from './updates.ts'
import type { WatchOptions } from './watch/watch-options.ts'
import { watchPaymentLink } from './watch/watch.ts'

/** The known state of what a watch follows. Immutable: a change creates a new view. */
export type WatchView = {
  readonly link: LinkDetails | null
  readonly payment: PaymentDetails | null
  /** Only when an agreement is followed. */
  readonly agreement: AgreementDetails | null
  /** Only when a payout is followed. */
  readonly payout: PayoutDetails | null
  /** Events since the subscription began, oldest first. */
  readonly events: readonly EventDetails[]
  readonly connection: Connection
  /** Whether all recorded events have arrived. */
  readonly caughtUp: boolean
  readonly cursor: string | null
  /** How far the server's clock is ahead of this device's, in milliseconds. */
  readonly serverOffsetMs: number
  /** Why the subscription has ended, unless the caller ended it. */
  readonly error: PaymentsClientError | null
}

/** The known state of a link or a payment. */
export type PaymentLinkView = Omit<WatchView, 'agreement' | 'payout'>

export type WatchStore<View = WatchView> = {
  /**
   * Adds a listener for every change. The subscription runs as long as there is a listener. Returns the function that
   * removes it.
   */
  subscribe(listener: () => void): () => void
  /** The current view: the same object as long as nothing changes. */
  getSnapshot(): View
  /** The view before any data, for server-side rendering. */
  getServerSnapshot(): View
  /** Starts again after an error. */
  retry(): void
  /** Ends the subscription for good. */
  close(): void
}

export type PaymentLinkStore = WatchStore<PaymentLinkView>

const NOTHING_YET: WatchView = Object.freeze({
  link: null,
  payment: null,
  agreement: null,
  payout: null,
  events: Object.freeze([]),
  connection: 'connecting',
  caughtUp: false,
  cursor: null,
  serverOffsetMs: 0,
  error: null,
})

/**
 * Returns a link as a store, for `useSyncExternalStore` and similar APIs. The subscription starts with the first listener,
 * stops after the last listener is removed, and resumes from its cursor when a listener is added again.
 *
 * @example
 * const store = paymentLinkStore(id, { url: 'https://shop.example/graphql', statusToken })
 * const view = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getServerSnapshot)
 */
export function paymentLinkStore(id: string, options: WatchOptions): PaymentLinkStore {
  return watchStore((more) => watchPaymentLink(id, more), options)
}

/** Returns what a watch follows as a store, like `paymentLinkStore`. */
export function watchStore(
  watch: (options: WatchOptions) => AsyncIterable<PaymentUpdate>,
  options: WatchOptions,
): WatchStore {
  const listeners = new Set<() => void>()
  let view = NOTHING_YET
  let running: AbortController | null = null
  let closed = false

  const show = (next: WatchView) => {
    if (next === view) return
    view = Object.freeze(next)
    for (const listener of listeners) listener()
  }
  const showConnection = (connection: Connection) => {
    if (connection !== view.connection) show({ ...view, connection })
  }
  const start = () => {
    const control = new AbortController()
    running = control
    const after = view.cursor ?? options.after
    const updates = watch({
      ...options,
      ...(after === undefined ? {} : { after }),
      signal: control.signal,
      onConnection: (connection) => {
        if (running === control) showConnection(connection)
        options.onConnection?.(connection)
      },
    })
    const run = async () => {
      for await (const update of updates) show(withUpdate(view, update, Date.now()))
    }
    run().catch((reason: unknown) => show({ ...view, connection: 'closed', error: asClientError(reason) }))
  }
  const stop = () => {
    const control = running
    running = null
    control?.abort()
    if (control !== null) showConnection('closed')
  }
  const close = () => {
    closed = true
    options.signal?.removeEventListener('abort', close)
    stop()
    showConnection('closed')
  }
  if (options.signal?.aborted === true) close()
  options.signal?.addEventListener('abort', close)

  return {
    subscribe(listener) {
      const own = () => listener()
      listeners.add(own)
      if (running === null && !closed && view.error === null) start()
      return () => {
        listeners.delete(own)
        // React unsubscribes and resubscribes at once when it mounts twice.
        queueMicrotask(() => {
          if (listeners.size === 0) stop()
        })
      }
    },
    getSnapshot: () => view,
    getServerSnapshot: () => NOTHING_YET,
    retry() {
      if (view.error === null || closed) return
      show({ ...view, connection: 'connecting', error: null })
      if (listeners.size > 0) start()
    },
    close,
  }
}

/** Returns the view after an update; the same object when nothing has changed. `now` is the device's clock, in milliseconds. */
function withUpdate(view: WatchView, update: PaymentUpdate, now: number): WatchView {
  const { kind, cursor, serverTime } = update
  if (kind === 'CAUGHT_UP') return view.caughtUp && view.cursor === cursor ? view : { ...view, caughtUp: true, cursor }
  const isAnew = kind === 'SNAPSHOT' && cursor !== view.cursor
  const isOlder = !isAnew && isOutdated(update.payment, view.payment)
  const event = update.event
  return {
    ...view,
    link: isOlder ? view.link : (update.link ?? view.link),
    payment: isOlder ? view.payment : (update.payment ?? (isAnew ? null : view.payment)),
    agreement: update.agreement ?? view.agreement,
    payout: update.payout ?? view.payout,
    events: isAnew ? [] : event === null ? view.events : [...view.events, event],
    caughtUp: isAnew ? false : view.caughtUp,
    cursor,
    serverOffsetMs: serverTime === null ? view.serverOffsetMs : Date.parse(serverTime) - now,
  }
}

function isOutdated(next: PaymentDetails | null, held: PaymentDetails | null): boolean {
  return next !== null && held !== null && next.id === held.id && next.version < held.version
}
