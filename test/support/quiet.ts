import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { UpstreamProxy } from './upstream-proxy.ts'

/** Tells whether an app of this process has come to rest, so that virtual time may pass. */
export type Quiet = {
  isQuiet(): boolean
  close(): void
}

/** Milliseconds between two looks at the event loop. */
const LOOK_MS = 5

/**
 * An app is busy while a request of its own is under way, which on a busy machine takes many turns of the event loop until
 * it arrives; and after a slow commit, which the store follows by a rest of real time (src/store/group-commit.ts). A lease
 * that is to be renewed meanwhile would be over long before, by virtual time.
 */
export function watchQuiet(proxy: UpstreamProxy): Quiet {
  const requests = watchRequests()
  const slowness = watchSlowness()
  return {
    isQuiet: () => proxy.underWay === 0 && requests.underWay() === 0 && slowness.isOver(),
    close() {
      requests.close()
      slowness.close()
    },
  }
}

/** A commit that holds up the event loop for less is followed by no rest, and after others it is this share of theirs. */
const SLOW_MS = 20
const REST_SHARE = 0.25

function watchSlowness() {
  let last = performance.now()
  let over = last
  const watch = setInterval(() => {
    const now = performance.now()
    const heldUpMs = now - last - LOOK_MS
    if (heldUpMs >= SLOW_MS) over = now + heldUpMs * REST_SHARE
    last = now
  }, LOOK_MS)
  return { isOver: () => performance.now() >= over, close: () => clearInterval(watch) }
}

/** What undici tells of a request (docs/api/DiagnosticsChannel.md). */
type Told = { readonly request: object }

const BEGUN = 'undici:request:create'
const ENDED = ['undici:request:trailers', 'undici:request:error'] as const

function watchRequests() {
  const requests = new Set<object>()
  const begun = (told: unknown) => void requests.add((told as Told).request)
  const ended = (told: unknown) => void requests.delete((told as Told).request)
  subscribe(BEGUN, begun)
  for (const name of ENDED) subscribe(name, ended)
  return {
    underWay: () => requests.size,
    close() {
      unsubscribe(BEGUN, begun)
      for (const name of ENDED) unsubscribe(name, ended)
    },
  }
}
