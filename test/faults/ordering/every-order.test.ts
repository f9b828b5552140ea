import { expect, it } from 'vitest'
import { factsOf, type PaymentStatus } from '../../../src/domain/payments/payment-report.ts'
import { decideRead, decideWebhook, type Payment } from '../../../src/domain/payments/payment.ts'
import { report } from '../../store/contract/builders.ts'
import { changed } from '../../unit/domain/payments.ts'
import { rounds } from '../rounds.ts'

/** The statuses that the payments API can set after each status of a payment. */
const NEXT: Readonly<Record<PaymentStatus, readonly PaymentStatus[]>> = {
  pending: ['authorised', 'waiting', 'received', 'failed', 'expired'],
  authorised: ['waiting', 'received', 'failed'],
  waiting: ['received', 'failed'],
  failed: ['pending'],
  expired: ['received'],
  received: ['return_pending', 'in_dispute'],
  return_pending: ['partially_refunded', 'return_received', 'return_rejected', 'return_expired'],
  return_rejected: ['return_pending'],
  return_expired: ['return_pending'],
  partially_refunded: ['return_pending'],
  in_dispute: ['dispute_lost', 'received'],
  return_received: [],
  dispute_lost: [],
}

type History = readonly PaymentStatus[]

function historiesUpTo(length: number): History[] {
  const grow = (history: History): History[] => [
    history,
    ...(history.length < length
      ? NEXT[history.at(-1) ?? 'pending'].flatMap((status) => grow([...history, status]))
      : []),
  ]
  return grow(['pending'])
}

/** One state of the exploration: how far the history has progressed, how often each webhook arrived, and what is known of the payment. */
type Moment = {
  readonly truth: number
  readonly arrivals: readonly number[]
  readonly state: Payment | null
  /** Whether a read is planned that has not been answered. */
  readonly readDue: boolean
  readonly read: Read | null
}

/**
 * A read in flight: how many webhooks had arrived when it was sent, and how far the history was when the payments API looked; null before
 * that.
 */
type Read = { readonly arrived: number; readonly seen: number | null }

type Fixture = { readonly history: History; readonly sameBytes: boolean; readonly repeats: number }

/**
 * Returns every possible next moment: the payments API sets the next status, a webhook arrives (perhaps again), or a planned read is sent,
 * looks at the payment, and is answered.
 */
function followers(fixture: Fixture, moment: Moment): Moment[] {
  const { history } = fixture
  const next: Moment[] = moment.truth < history.length - 1 ? [{ ...moment, truth: moment.truth + 1 }] : []
  const repeated = moment.arrivals.reduce((sum, count) => sum + Math.max(count - 1, 0), 0)
  for (const [event, count] of moment.arrivals.entries())
    if (event <= moment.truth && (count === 0 || repeated < fixture.repeats)) next.push(arrive(fixture, moment, event))
  if (moment.readDue) next.push(goOnReading(history, moment))
  return next
}

function arrive({ history, sameBytes }: Fixture, moment: Moment, event: number): Moment {
  const status = history[event] ?? 'pending'
  const cameBefore = moment.arrivals.some(
    (count, other) => count > 0 && (other === event || (sameBytes && history[other] === status)),
  )
  const { change, provisional, confirm } = decideWebhook(moment.state, report(status), cameBefore)
  return {
    ...moment,
    arrivals: moment.arrivals.map((count, other) => (other === event ? count + 1 : count)),
    state: after(moment.state, change, provisional),
    readDue: moment.readDue || confirm,
  }
}

function goOnReading(history: History, moment: Moment): Moment {
  const { read, truth, state } = moment
  const arrived = moment.arrivals.reduce((sum, count) => sum + count, 0)
  if (read === null) return { ...moment, read: { arrived, seen: null } }
  if (read.seen === null) return { ...moment, read: { ...read, seen: truth } }
  // Webhooks that arrived after the read was sent can be newer than what it saw.
  if (read.arrived !== arrived) return { ...moment, read: null }
  const { change, provisional } = decideRead(state, report(history[read.seen] ?? 'pending'))
  return { ...moment, state: after(state, change, provisional), readDue: false, read: null }
}

function after(
  state: Payment | null,
  change: Parameters<typeof changed>[1] | null,
  provisional: boolean | null,
): Payment | null {
  const doubt = provisional ?? state?.provisional ?? false
  if (change !== null) return changed(state, change, doubt)
  return state === null ? null : { ...state, provisional: doubt }
}

/** Visits every reachable moment. Returns those at rest that do not show the true status. */
function wrongEnds(fixture: Fixture): { moments: number; wrong: string[] } {
  const begin: Moment = { truth: 0, arrivals: fixture.history.map(() => 0), state: null, readDue: false, read: null }
  const visited = new Set<string>()
  const wrong: string[] = []
  const queue = [begin]
  for (let moment = queue.pop(); moment !== undefined; moment = queue.pop()) {
    const key = keyOf(moment)
    if (visited.has(key)) continue
    visited.add(key)
    if (isAtRest(fixture, moment) && !showsTruth(fixture, moment)) wrong.push(`${fixture.history.join(' > ')}: ${key}`)
    queue.push(...followers(fixture, moment))
  }
  return { moments: visited.size, wrong }
}

function isAtRest({ history }: Fixture, { truth, arrivals, readDue }: Moment): boolean {
  return truth === history.length - 1 && !readDue && arrivals.every((count) => count > 0)
}

function showsTruth({ history }: Fixture, { state }: Moment): boolean {
  return state?.status === history.at(-1) && !state?.provisional
}

function keyOf({ truth, arrivals, state, readDue, read }: Moment): string {
  const known = state === null ? '-' : `${state.statusRaw} ${state.seen.toSorted().join()} ${state.provisional}`
  const reading = read === null ? readDue : `${read.arrived} ${read.seen}`
  return `${truth} ${arrivals.join('')} ${reading} ${known}`
}

/** How many deliveries are repeated in total. */
const REPEATS = [
  { length: 4, repeats: rounds({ few: 1, many: 4 }) },
  { length: 5, repeats: rounds({ few: 0, many: 3 }) },
  { length: 6, repeats: rounds({ few: 0, many: 2 }) },
]

const LIMIT_MS = rounds({ few: 60_000, many: 30 * 60_000 })

// promise(facts): Every order of every history of up to six events, with repeats and overtaking reads, ends with the
// right state; a paid payment is never shown as unpaid.
it.each(REPEATS.flatMap(({ length, repeats }) => [true, false].map((sameBytes) => ({ length, repeats, sameBytes }))))(
  'every order of every history of $length events, $repeats repeats, same bytes: $sameBytes, ends with the truth',
  ({ length, repeats, sameBytes }) => {
    const ends = historiesUpTo(length).map((history) => wrongEnds({ history, sameBytes, repeats }))
    expect(ends.flatMap(({ wrong }) => wrong)).toEqual([])
    expect(ends.reduce((sum, { moments }) => sum + moments, 0)).toBeGreaterThan(10_000)
  },
  LIMIT_MS,
)

it('a paid payment is never shown as unpaid on the way', () => {
  for (const history of historiesUpTo(5)) {
    const paidFrom = history.findIndex((status) => factsOf(status).rank >= 4)
    if (paidFrom === -1) continue
    const fixture: Fixture = { history, sameBytes: true, repeats: 1 }
    let moment: Moment = {
      truth: history.length - 1,
      arrivals: history.map(() => 0),
      state: null,
      readDue: false,
      read: null,
    }
    moment = arrive(fixture, moment, paidFrom)
    for (const late of history.keys()) {
      moment = arrive(fixture, moment, late)
      expect(moment.state?.rank).toBeGreaterThanOrEqual(4)
    }
  }
})
