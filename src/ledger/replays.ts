import { type ReplayResult, withResult } from '../domain/bulk-replay.ts'
import type { DeliveriesReplay, DeliveryReplay, ReplayOutcome } from '../store/port.ts'
import type { Rows } from '../store/rows/rows.ts'
import { replayDelivery } from './receive.ts'
import type { Ledger } from './subjects/subject.ts'

/** A delivery of a running replay. */
type DeliveryOfReplay = { readonly number: number; readonly id: string }

/** Replays a delivery, unless the replay has ended or is behind it. Returns the outcome, which is recorded with what it changes. */
export function replayNext(
  ledger: Ledger,
  number: number,
  delivery: DeliveryOfReplay,
  replay: Pick<DeliveryReplay, 'at' | 'parse'>,
): ReplayOutcome | null {
  if (replayBefore(ledger.rows, number, delivery.number) === null) return null
  const outcome = replayDelivery(ledger, { ...replay, id: delivery.id, apply: true })
  noteOutcome(ledger.rows, number, delivery, outcome)
  return outcome
}

/** Records the outcome for a delivery, null if its replay failed, and moves the replay on. A delivery that is gone is passed over. */
export function noteOutcome(
  rows: Rows,
  number: number,
  delivery: DeliveryOfReplay,
  outcome: ReplayOutcome | null,
): void {
  const current = replayBefore(rows, number, delivery.number)
  if (current === null) return
  const result = resultOf(delivery.id, outcome)
  const report = result === null ? current.report : withResult(current.report, result)
  rows.deliveryReplays.put({ ...current, place: delivery.number, report })
}

/** Moves a replay on to what was looked at, and ends it at its last delivery. */
export function leaveDeliveries(rows: Rows, number: number, place: number, at: Date): DeliveriesReplay | null {
  const current = rows.deliveryReplays.first('number', String(number))
  if (current === null || current.doneAt !== null) return current
  const left = {
    ...current,
    place: Math.max(place, current.place),
    doneAt: place >= current.last ? at.getTime() : null,
  }
  rows.deliveryReplays.put(left)
  return left
}

/** Ends a running replay where it is. Returns it as it was if it has ended, and null if there is none. */
export function cancelReplay(rows: Rows, number: number, at: Date): DeliveriesReplay | null {
  const current = rows.deliveryReplays.first('number', String(number))
  if (current === null || current.doneAt !== null) return current
  const cancelled = { ...current, cancelled: true, doneAt: at.getTime() }
  rows.deliveryReplays.put(cancelled)
  return cancelled
}

/** Returns a running replay that has not come to a delivery. */
function replayBefore(rows: Rows, number: number, delivery: number): DeliveriesReplay | null {
  const current = rows.deliveryReplays.first('number', String(number))
  return current === null || current.doneAt !== null || current.place >= delivery ? null : current
}

function resultOf(deliveryId: string, outcome: ReplayOutcome | null): ReplayResult | null {
  const nothing = { deliveryId, before: null, after: null, statusBefore: null, statusAfter: null, refusal: null }
  if (outcome === null) return nothing
  if (outcome.kind === 'not-found') return null
  if (outcome.kind === 'not-replayable') return { ...nothing, refusal: outcome.reason }
  const { before, after, statusBefore, statusAfter } = outcome
  return { ...nothing, before, after, statusBefore, statusAfter }
}
