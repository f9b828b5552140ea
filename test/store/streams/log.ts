import { setImmediate } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { Store } from '../../../src/ledger/store.ts'
import { createSliceScheduler } from '../../../src/lib/slice-scheduler.ts'
import { createLogger } from '../../../src/observability/logger.ts'
import { follow, type FollowOptions, type FollowServices } from '../../../src/streams/follow.ts'
import type { StreamItem } from '../../../src/streams/stream-item.ts'
import { createDeadlines, createStreamRegistry } from '../../../src/streams/stream-registry.ts'
import { startTail, type Tail, type TailOptions, type Waiting } from '../../../src/streams/tail.ts'
import { delivery, report } from '../contract/builders.ts'
import { openSqliteFixture } from '../contract/sqlite-fixture.ts'

/** Milliseconds; longer than any test, so that the tail does not poll. */
const NEVER_MS = 600_000

let statuses = 0

/** Appends one event to the stream of a payment. Every status that is unknown and new changes the payment once more. */
export async function append(store: Store, paymentId = 'P0', statusRaw = `status_${++statuses}`): Promise<void> {
  await store.inbox.receive(delivery(report(statusRaw, { paymentId })))
}

/** Opens a real store that ends with the test. */
export async function openStore(): Promise<Store> {
  const { store, destroy } = await openSqliteFixture()
  onTestFinished(destroy)
  return store
}

/** Starts a tail of the log that ends with the test. It polls only if `options` contain another `pollMs`. */
export async function tailOf(store: Store, options: Partial<TailOptions> = {}): Promise<Tail> {
  const tail = await startTail({
    log: store.log,
    logger: createLogger({ level: 'silent' }),
    scheduler: createSliceScheduler(),
    pollMs: NEVER_MS,
    ...options,
  })
  onTestFinished(() => tail.close())
  return tail
}

/** Returns the services that all streams share, for a store and its tail. */
export function followServices(store: Store, tail: Tail, parts: Partial<FollowServices> = {}): FollowServices {
  const { clock = () => new Date() } = parts
  return {
    store,
    tail,
    scheduler: createSliceScheduler(),
    deadlines: createDeadlines(() => clock().getTime()),
    streams: createStreamRegistry({ streamsPerToken: 0, streamsPerSubject: 0 }),
    clock,
    ...parts,
  }
}

/** A stream that is read item by item. `next` rejects on a failure. */
export type ItemStream = {
  next(): Promise<IteratorResult<StreamItem, undefined>>
  stop(): void
}

/** Opens a stream, by default of the whole log and without an end. */
export function openItems(
  services: FollowServices,
  options: Partial<FollowOptions> & Pick<FollowOptions, 'start'>,
): ItemStream {
  const account = { payer: null, caller: null }
  const follower = follow(services, { streamId: null, endsAt: Infinity, account, ...options })
  if (follower === null) throw new Error('Too many streams are open.')
  return {
    next: () =>
      new Promise((resolve, reject) => {
        follower.pull({
          take: (value) => resolve({ done: false, value }),
          end: (reason) =>
            reason.kind === 'failed' ? reject(reason.error) : resolve({ done: true, value: undefined }),
        })
      }),
    stop: () => follower.stop(),
  }
}

/** Resolves after the next event of a stream, or of any stream (null). Rejects if the tail closes. */
export async function nextEvent(tail: Tail, streamId: string | null): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const waiting: Waiting = {
    streamId,
    waitIndex: -1,
    isUpTo: () => {},
    run: resolve,
    stop: () => reject(new Error('The tail has closed.')),
  }
  tail.wait(waiting)
  await promise
}

/** Waits for `count` turns of the event loop. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await setImmediate()
}
