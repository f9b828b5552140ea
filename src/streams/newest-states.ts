import { LRUCache } from 'lru-cache'
import type { PaymentEvent } from '../domain/events/payment-event.ts'

type State = { readonly id: string; readonly version: number }

/** The newest states of one kind of subject; the oldest entries are evicted. */
export type NewestOf<Subject extends State> = {
  get(id: string): Subject | undefined
  /** Returns the newer one of a state and the known one. Replaces an older known state, but adds none. */
  newest(state: Subject): Subject
  /**
   * Begins a read of rows. The returned function adds a row, and returns the newest state. A row of a branch of the log that was left
   * meanwhile is not added.
   */
  reading(): (row: Subject) => Subject
}

type Subjects = {
  readonly [Kind in 'payment' | 'agreement' | 'payout' | 'gatewayPayment']: PaymentEvent[Kind]
}

/**
 * The newest state of each subject that this process has read, from the log or from rows. The items of streams show it: an item that replays an
 * old event has the current state, and no live item needs a query for it.
 */
export type NewestStates = {
  readonly [Kind in keyof Subjects]: NewestOf<NonNullable<Subjects[Kind]>>
} & {
  /** How often a state was replaced by one that was read before the tail had its event. */
  readonly replaced: number
  /** Notes events that are about to be shown, so that the first read of one of their payments reads all of them. */
  expect(events: readonly PaymentEvent[]): void
  /** Returns the ids of payments to read: these, and those that were expected together with them and are not known. */
  withExpected(paymentIds: readonly string[]): readonly string[]
  /** Adds the states of the next events of the log. */
  append(events: readonly PaymentEvent[]): void
  /** Adds the states of rows that have just been read. */
  add(rows: Subjects): void
  /** Replaces known states that are older than those of an event. */
  update(event: Subjects): void
  /** Drops all states, because the log continues on another branch. */
  clear(): void
}

/** States of each kind. */
const MAX_STATES = 10_000

export function createNewestStates(): NewestStates {
  let branch = 0
  let replaced = 0

  const ofKind = <Subject extends State>() => {
    const states = new LRUCache<string, Subject>({ max: MAX_STATES })
    /** Of equal versions the later read counts: a payment can become doubtful without an event. */
    const put = (row: Subject): Subject => {
      const known = states.get(row.id)
      if (known !== undefined && known.version > row.version) return known
      if (known !== undefined && known.version < row.version) replaced += 1
      states.set(row.id, row)
      return row
    }
    return {
      get: (id: string) => states.get(id),
      newest: (state: Subject) => (states.has(state.id) ? put(state) : state),
      reading() {
        const began = branch
        return (row: Subject) => (began === branch ? put(row) : row)
      },
      append(state: Subject) {
        if ((states.get(state.id)?.version ?? 0) < state.version) states.set(state.id, state)
      },
      update(state: Subject) {
        const known = states.get(state.id)
        if (known !== undefined && known.version < state.version) put(state)
      },
      clear: () => states.clear(),
    }
  }
  const kinds = {
    payment: ofKind<NonNullable<Subjects['payment']>>(),
    agreement: ofKind<NonNullable<Subjects['agreement']>>(),
    payout: ofKind<NonNullable<Subjects['payout']>>(),
    gatewayPayment: ofKind<NonNullable<Subjects['gatewayPayment']>>(),
  }
  type Use = <Subject extends State>(kind: ReturnType<typeof ofKind<Subject>>, state: Subject) => void
  const each = ({ payment, agreement, payout, gatewayPayment }: Subjects, use: Use) => {
    if (payment !== null) use(kinds.payment, payment)
    if (agreement !== null) use(kinds.agreement, agreement)
    if (payout !== null) use(kinds.payout, payout)
    if (gatewayPayment !== null) use(kinds.gatewayPayment, gatewayPayment)
  }

  /** The payments of a page of events by the id of each. */
  const expected = new LRUCache<string, ReadonlySet<string>>({ max: MAX_STATES })

  return {
    ...kinds,
    expect(events) {
      const ids = new Set(events.flatMap(({ payment }) => payment?.id ?? []))
      for (const id of ids) expected.set(id, ids)
    },
    withExpected(paymentIds) {
      const together = paymentIds.flatMap((id) => [...(expected.get(id) ?? [])])
      return [...new Set([...paymentIds, ...together.filter((id) => kinds.payment.get(id) === undefined)])]
    },
    get replaced() {
      return replaced
    },
    append(events) {
      for (const event of events) each(event, (kind, state) => kind.append(state))
    },
    add: (rows) => each(rows, (kind, state) => void kind.reading()(state)),
    update: (event) => each(event, (kind, state) => kind.update(state)),
    clear() {
      branch += 1
      for (const kind of Object.values(kinds)) kind.clear()
    },
  }
}
