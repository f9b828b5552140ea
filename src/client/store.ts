import type { Connection } from './connection/reconnect.ts'
import { asClientError, type PaymentsClientError } from './errors.ts'
import type { EventDetails, LinkDetails, PaymentDetails, PaymentUpdate } from './watch/subject.ts'
import type { WatchOptions } from './watch/watch-options.ts'
import { watchPaymentLink } from './watch/watch.ts'

/** A link as it is known now. Never changed: a change makes another one. */
export type PaymentLinkView = {
  readonly link: LinkDetails | null
  readonly payment: PaymentDetails | null
  /** What happened since the watch began, oldest first. */
  readonly events: readonly EventDetails[]
  readonly connection: Connection
  /** Whether everything that was recorded has come. */
  readonly caughtUp: boolean
  readonly cursor: string | null
  /** How far the server's clock is ahead of this device's, in milliseconds. */
  readonly serverOffsetMs: number
  /** Why the watch has ended by itself. */
  readonly error: PaymentsClientError | null
}

export type PaymentLinkStore = {
  /** Tells a listener of every change. The watch runs as long as somebody listens. Gives the function that ends it. */
  subscribe(listener: () => void): () => void
  /** The view as it is: the same object as long as nothing changes. */
  getSnapshot(): PaymentLinkView
  /** The view before anything is known, for rendering on a server. */
  getServerSnapshot(): PaymentLinkView
  /** Ends it for good. */
  close(): void
}

const NOTHING_YET: PaymentLinkView = Object.freeze({
  link: null,
  payment: null,
  events: Object.freeze([]),
  connection: 'connecting',
  caughtUp: false,
  cursor: null,
  serverOffsetMs: 0,
  error: null,
})

/**
 * A link as a store, for `useSyncExternalStore` and its like. It begins to watch with the first listener, ends after the last
 * has left, and goes on from there when one comes back.
 *
 * @example
 * const store = paymentLinkStore(id, { url: 'https://shop.example/graphql', statusToken })
 * const view = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getServerSnapshot)
 */
export function paymentLinkStore(id: string, options: WatchOptions): PaymentLinkStore {
  const listeners = new Set<() => void>()
  let view = NOTHING_YET
  let running: AbortController | null = null
  let closed = false

  const show = (next: PaymentLinkView) => {
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
    const updates = watchPaymentLink(id, {
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
        // React leaves and comes back at once when it mounts twice.
        queueMicrotask(() => {
          if (listeners.size === 0) stop()
        })
      }
    },
    getSnapshot: () => view,
    getServerSnapshot: () => NOTHING_YET,
    close,
  }
}

/** A view after an update; the same one when nothing has changed. `now` is the device's clock, in milliseconds. */
function withUpdate(view: PaymentLinkView, update: PaymentUpdate, now: number): PaymentLinkView {
  const { kind, cursor, serverTime } = update
  if (kind === 'CAUGHT_UP') return view.caughtUp && view.cursor === cursor ? view : { ...view, caughtUp: true, cursor }
  const isAnew = kind === 'SNAPSHOT' && cursor !== view.cursor
  const isOlder = !isAnew && isOutdated(update.payment, view.payment)
  const event = update.event
  return {
    ...view,
    link: isOlder ? view.link : (update.link ?? view.link),
    payment: isOlder ? view.payment : (update.payment ?? (isAnew ? null : view.payment)),
    events: isAnew ? [] : event === null ? view.events : [...view.events, event],
    caughtUp: isAnew ? false : view.caughtUp,
    cursor,
    serverOffsetMs: serverTime === null ? view.serverOffsetMs : Date.parse(serverTime) - now,
  }
}

function isOutdated(next: PaymentDetails | null, held: PaymentDetails | null): boolean {
  return next !== null && held !== null && next.id === held.id && next.version < held.version
}
