import { parseExactJson } from 'payments-subgraph-lib/exact-json'
import type { Store } from '../ledger/store.ts'
import { type PeriodicTask, restAsLong, runEach, startPeriodicTask, type Timer } from '../lib/timers.ts'
import type { Logger } from '../observability/logger.ts'
import type { DeliveriesReplay, DeliveryReplay, Lease } from '../store/port.ts'
import { isOutage, LeaseLostError } from '../store/store-errors.ts'
import { readAgreementReport } from '../upstream/wire/wire-agreement.ts'
import { readPaymentReport } from '../upstream/wire/wire-payment.ts'
import type { HeldLease } from './upkeep.ts'

/** Reads the stored bodies of deliveries. */
export const STORED_BODIES: DeliveryReplay['parse'] = {
  payment: (body) => readPaymentReport(parseExactJson(body)),
  agreement: (body) => readAgreementReport(parseExactJson(body)),
}

type ReplaysOptions = {
  readonly store: Pick<Store, 'replays' | 'inbox'>
  readonly logger: Logger
  readonly clock: () => Date
  readonly timer: Timer
  /** The process with this lease works on replays. */
  readonly leader: HeldLease
  /** Called when reads may be due. */
  readonly onReplayed: () => void
}

const EVERY_MS = 5_000

/**
 * Works on the replays of many deliveries as the leader of the cluster, one delivery after the other. The progress is stored with what it
 * changes, so that another process goes on after this one has ended at any point. By the timer every five seconds; what failed is tried again.
 */
export function startReplays({ store, logger, clock, timer, leader, onReplayed }: ReplaysOptions): PeriodicTask {
  const { replays, inbox } = store

  const replayOne = async (replay: DeliveriesReplay, delivery: { id: string; number: number }, lease: Lease) => {
    const { number, dryRun } = replay
    const how = { at: clock(), parse: STORED_BODIES }
    try {
      if (!dryRun) await replays.replayNext(number, delivery, how, lease)
      else await replays.note(number, delivery, await inbox.replay({ ...how, id: delivery.id, apply: false }))
    } catch (error) {
      if (error instanceof LeaseLostError || isOutage(error)) throw error
      logger.error({ deliveryId: delivery.id, err: error }, 'a delivery could not be replayed')
      await replays.note(number, delivery, null)
    }
  }

  /** Returns whether there is more to replay. */
  const step = async (number: number, lease: Lease, mayGoOn: () => boolean): Promise<boolean> => {
    const replay = await replays.byNumber(number)
    if (replay === null || replay.doneAt !== null) return false
    const { deliveries, place } = await replays.next(replay)
    for (const delivery of deliveries) {
      if (!mayGoOn()) return false
      await replayOne(replay, delivery, lease)
    }
    if (!replay.dryRun && deliveries.length > 0) onReplayed()
    const left = await replays.leave(number, place, clock())
    if (left === null || left.doneAt === null) return left !== null
    logger.info({ kind: 'replay', count: left.report.matched }, 'a replay of deliveries has finished')
    return false
  }

  const finish = async (number: number, mayGoOn: () => boolean) => {
    for (let goesOn = true; goesOn && mayGoOn();) {
      const lease = leader.lease()
      if (lease === null) return
      const startedAt = timer.now()
      try {
        goesOn = await step(number, lease, mayGoOn)
      } catch (error) {
        if (!(error instanceof LeaseLostError)) throw error
        return leader.lost(lease)
      }
      await restAsLong(timer, startedAt)
    }
  }

  const onFailed = (error: unknown) => logger.error({ err: error }, 'a replay could not continue; retrying')

  const finishAll = async (mayGoOn: () => boolean) => {
    const running = await replays.running()
    await runEach(
      running.map(
        ({ number }) =>
          () =>
            finish(number, mayGoOn),
      ),
      onFailed,
    )
  }
  const work = (mayGoOn: () => boolean) => runEach([() => finishAll(mayGoOn)], onFailed)
  return startPeriodicTask({ everyMs: EVERY_MS, timer, mayRun: () => leader.lease() !== null, work })
}
