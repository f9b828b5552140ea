import type { PaymentUpdate, State, StreamItem, Subject } from './subject.ts'

/** Where a watch stands, over however many connections. */
export type Reader = {
  /** Cursor of the last item; null before the first. */
  readonly cursor: string | null
  /** What was delivered last. */
  readonly held: State | null
  /** How many updates were delivered. */
  readonly delivered: number
  /** Takes the next item of the stream, and delivers it, or says how the stream is to be opened again. */
  take(item: StreamItem): 'taken' | 'gap' | 'resync'
}

const NOTHING: State = { link: null, payment: null }

/** Delivers each item once, in order, or asks for the rest of the stream. */
export function createReader(
  { isOneStream }: Pick<Subject, 'isOneStream'>,
  after: string | null,
  emit: (update: PaymentUpdate) => void,
): Reader {
  let cursor = after
  let held: State | null = null
  let delivered = 0
  let sequence = 0
  let repairedAt: string | null = null
  let afresh = false

  const deliver = (update: Omit<PaymentUpdate, 'serverTime'>) => {
    delivered += 1
    emit({ ...update, serverTime: update.link?.serverTime ?? null })
  }

  return {
    get cursor() {
      return cursor
    },
    get held() {
      return held
    },
    get delivered() {
      return delivered
    },
    take({ kind, previousCursor, event, link, payment, agreement = null, ...item }) {
      if (kind === 'RESYNC_REQUIRED') {
        cursor = held = null
        sequence = 0
        afresh = true
        return 'resync'
      }
      // A repeat: what it tells is here already.
      if (isOneStream && event !== null && event.sequence <= sequence) return 'taken'
      if (cursor !== null && previousCursor !== null && previousCursor !== cursor && repairedAt !== cursor) {
        repairedAt = cursor
        return 'gap'
      }
      // A stream without a state still has to say that it began anew.
      if (afresh && kind !== 'SNAPSHOT')
        deliver({ kind: 'SNAPSHOT', cursor: item.cursor, event: null, ...NOTHING, agreement })
      afresh = false
      cursor = item.cursor
      if (event !== null) sequence = event.sequence
      if (kind !== 'CAUGHT_UP') held = { link: link ?? held?.link ?? null, payment: payment ?? held?.payment ?? null }
      deliver({ kind, cursor: item.cursor, event, link, payment, agreement })
      return 'taken'
    },
  }
}
