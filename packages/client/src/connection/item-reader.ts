import { createPosition } from '../stream-position.ts'
import type { PaymentUpdate, State, StreamItem, Subject } from '../updates.ts'

/** The position of a subscription, across connections. */
export type Reader = {
  /** Cursor of the last item; null before the first. */
  readonly cursor: string | null
  /** The last delivered state. */
  readonly held: State | null
  /** Number of delivered updates. */
  readonly delivered: number
  /** Processes the next item of the stream: delivers it, or returns why the stream must be reopened. */
  take(item: StreamItem): 'taken' | 'gap' | 'resync'
}

const NOTHING: State = { link: null, payment: null }

/** Delivers each item once, in order, or requests that the stream be reopened. */
export function createReader(
  { isOneStream }: Pick<Subject, 'isOneStream'>,
  after: string | null,
  emit: (update: PaymentUpdate) => void,
): Reader {
  const position = createPosition(after)
  let held: State | null = null
  let delivered = 0
  let sequence = 0
  let afresh = false

  const deliver = (update: Omit<PaymentUpdate, 'serverTime'>) => {
    delivered += 1
    emit({ ...update, serverTime: update.link?.serverTime ?? null })
  }

  return {
    get cursor() {
      return position.cursor
    },
    get held() {
      return held
    },
    get delivered() {
      return delivered
    },
    take(item) {
      const { kind, cursor, event, link = null, payment = null, agreement = null, payout = null } = item
      if (kind === 'RESYNC_REQUIRED') {
        held = null
        sequence = 0
        afresh = true
        return position.take(item)
      }
      // A duplicate: its event was delivered before.
      if (isOneStream && event !== null && event.sequence <= sequence) return 'taken'
      if (position.take(item) === 'gap') return 'gap'
      // A stream without a state still reports that it started anew.
      if (afresh && kind !== 'SNAPSHOT')
        deliver({ kind: 'SNAPSHOT', cursor, event: null, ...NOTHING, agreement, payout })
      afresh = false
      if (event !== null) sequence = event.sequence
      if (kind !== 'CAUGHT_UP') held = joined(held, { link, payment, agreement, payout })
      deliver({ kind, cursor, event, link, payment, agreement, payout })
      return 'taken'
    },
  }
}

/** Returns the state after an item, which may tell only a part of it. */
export function joined(held: State | null, { link, payment, agreement, payout }: Partial<State>): State {
  return {
    link: link ?? held?.link ?? null,
    payment: payment ?? held?.payment ?? null,
    agreement: agreement ?? held?.agreement ?? null,
    payout: payout ?? held?.payout ?? null,
  }
}
