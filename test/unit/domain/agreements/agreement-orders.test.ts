import { expect, it } from 'vitest'
import type { PaymentAgreementStatus } from '../../../../src/domain/agreements/agreement-report.ts'
import {
  decideAgreementCallback,
  decideAgreementRead,
  type Agreement,
} from '../../../../src/domain/agreements/agreement.ts'
import { agreementReport, decided } from '../agreements.ts'

/** The statuses that can follow each status at the payments API. */
const NEXT: Readonly<Record<PaymentAgreementStatus, readonly PaymentAgreementStatus[]>> = {
  created: ['active', 'failed', 'cancelled'],
  active: ['suspended', 'cancelled', 'failed'],
  suspended: ['active', 'cancelled'],
  cancelled: [],
  failed: [],
}

/** One callback of the payments API. Two callbacks with the same status and limit have the same bytes. */
type Sent = { readonly status: PaymentAgreementStatus; readonly limit: string }
type History = readonly Sent[]

const LIMITS = ['100', '250']

/** Returns all histories up to a length. The limit is amended together with a status or under the same status. */
function historiesUpTo(length: number): History[] {
  const grow = (history: History): History[] => {
    const last = history.at(-1) ?? { status: 'created', limit: '100' }
    const steps = [...NEXT[last.status], ...(last.status === 'active' ? [last.status] : [])]
    const next = steps.flatMap((status) => LIMITS.map((limit) => ({ status, limit })))
    const fresh = next.filter(({ status, limit }) => status !== last.status || limit !== last.limit)
    return [history, ...(history.length < length ? fresh.flatMap((step) => grow([...history, step])) : [])]
  }
  return grow([{ status: 'created', limit: '100' }])
}

/** A moment: index of the current status at the payments API, number of arrivals of each callback, and the stored agreement. */
type Moment = {
  readonly truth: number
  readonly arrivals: readonly number[]
  readonly state: Agreement | null
  /** A read is due and not yet answered. */
  readonly readDue: boolean
}

/** Returns all moments that can follow: the payments API advances, a callback arrives (again), or the due read is answered. */
function followers(history: History, moment: Moment, repeats: number): Moment[] {
  const next: Moment[] = moment.truth < history.length - 1 ? [{ ...moment, truth: moment.truth + 1 }] : []
  const repeated = moment.arrivals.reduce((sum, count) => sum + Math.max(count - 1, 0), 0)
  for (const [event, count] of moment.arrivals.entries())
    if (event <= moment.truth && (count === 0 || repeated < repeats)) next.push(arrive(history, moment, event))
  if (moment.readDue) next.push(answerRead(history, moment))
  return next
}

function said({ status, limit }: Sent) {
  return agreementReport(status, { limit })
}

function at(history: History, event: number): Sent {
  return history[event] ?? { status: 'created', limit: '100' }
}

function arrive(history: History, moment: Moment, event: number): Moment {
  const sent = at(history, event)
  const sameBytes = (other: Sent): boolean => other.status === sent.status && other.limit === sent.limit
  const repeat = moment.arrivals.some((count, other) => count > 0 && sameBytes(at(history, other)))
  const decision = decideAgreementCallback(moment.state, said(sent), repeat)
  return {
    ...moment,
    arrivals: moment.arrivals.map((count, other) => (other === event ? count + 1 : count)),
    state: decided(moment.state, decision),
    readDue: moment.readDue || decision.confirm,
  }
}

function answerRead(history: History, moment: Moment): Moment {
  const decision = decideAgreementRead(moment.state, said(at(history, moment.truth)))
  return { ...moment, state: decided(moment.state, decision), readDue: false }
}

/** Visits all reachable moments. Returns their number, and those at rest whose agreement differs from the payments API's. */
function wrongEnds(history: History, repeats: number): { moments: number; wrong: string[] } {
  const visited = new Set<string>()
  const wrong: string[] = []
  const queue: Moment[] = [{ truth: 0, arrivals: history.map(() => 0), state: null, readDue: false }]
  for (let moment = queue.pop(); moment !== undefined; moment = queue.pop()) {
    const key = keyOf(moment)
    if (visited.has(key)) continue
    visited.add(key)
    if (isAtRest(history, moment) && !showsTruth(history, moment)) wrong.push(`${JSON.stringify(history)}: ${key}`)
    queue.push(...followers(history, moment, repeats))
  }
  return { moments: visited.size, wrong }
}

function isAtRest(history: History, { truth, arrivals, readDue }: Moment): boolean {
  return truth === history.length - 1 && !readDue && arrivals.every((count) => count > 0)
}

function showsTruth(history: History, { state }: Moment): boolean {
  const { status, limit } = at(history, history.length - 1)
  return state?.status === status && state.limit === limit && !state.provisional
}

function keyOf({ truth, arrivals, state, readDue }: Moment): string {
  const known =
    state === null ? '-' : `${state.status} ${state.limit} ${state.seen.toSorted().join()} ${state.provisional}`
  return `${truth} ${arrivals.join('')} ${readDue} ${known}`
}

it.each([
  { length: 3, repeats: 3 },
  { length: 4, repeats: 1 },
])(
  'every order of every history of $length callbacks, $repeats repeats, ends with the truth',
  ({ length, repeats }) => {
    const ends = historiesUpTo(length).map((history) => wrongEnds(history, repeats))
    expect(ends.flatMap(({ wrong }) => wrong).slice(0, 5)).toEqual([])
    expect(ends.reduce((sum, { moments }) => sum + moments, 0)).toBeGreaterThan(1_000)
  },
)

it('goes on and off as the merchant likes, and shows where it ended', () => {
  const flips = ['created', 'active', 'suspended', 'active', 'suspended', 'active'] as const
  const history = flips.map((status) => ({ status, limit: '100' }))
  expect(wrongEnds(history, 1).wrong).toEqual([])
})
