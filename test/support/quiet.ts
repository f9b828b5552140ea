import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { UpstreamProxy } from './upstream-proxy.ts'

/** Detects whether an app of this process is idle, so that virtual time may pass. */
export type Quiet = { isQuiet(): boolean; close(): void }

/** Milliseconds between two checks of the event loop. */
const LOOK_MS = 5

/**
 * Creates a detector. An app is busy while one of its requests is in flight, which may take many turns of the event loop on a busy machine;
 * while a commit is synced; and after a slow commit, because then the store pauses in real time (src/store/group-commit.ts). If virtual
 * time passed meanwhile, a lease that is to be renewed would expire.
 */
export function watchQuiet(proxy: UpstreamProxy): Quiet {
  const requests = watchRequests()
  const slowness = watchSlowness()
  return {
    isQuiet: () => proxy.underWay === 0 && requests.underWay() === 0 && !isSyncing() && slowness.isOver(),
    close() {
      requests.close()
      slowness.close()
    },
  }
}

/** Returns whether the store syncs its log. The sync is a request to the file system on another thread. */
function isSyncing(): boolean {
  return process.getActiveResourcesInfo().includes('FSReqCallback')
}

/** Milliseconds. The store does not pause after a shorter commit; after others it pauses for at most this share of their time. */
const SLOW_MS = 20
const REST_SHARE = 0.25

function watchSlowness() {
  let last = performance.now()
  let over = last
  let tookMs = 0
  const watch = setInterval(() => {
    const now = performance.now()
    const passedMs = now - last
    last = now
    if (isSyncing() || passedMs - LOOK_MS >= SLOW_MS) tookMs += passedMs
    else {
      if (tookMs >= SLOW_MS) over = now + tookMs * REST_SHARE
      tookMs = 0
    }
  }, LOOK_MS)
  return { isOver: () => tookMs < SLOW_MS && performance.now() >= over, close: () => clearInterval(watch) }
}

/** Message of undici about a request (docs/api/DiagnosticsChannel.md). */
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
