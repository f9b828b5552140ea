import { expect, it } from 'vitest'
import { decidePayoutCallback, decidePayoutRead, type Payout } from '../../../../src/domain/payouts/payout.ts'
import { decided, payoutReport, payoutTransaction } from '../payouts.ts'

/** The statuses that can follow each status at the payments API; `held` and `returned` are such as this version does not know. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  created: ['scheduled', 'processing', 'expired', 'held'],
  scheduled: ['processing', 'expired', 'held'],
  held: ['processing', 'expired'],
  processing: ['completed'],
  completed: ['returned'],
  returned: [],
  expired: [],
}

/** One callback of the payments API: the status of the batch and of its transaction. Equal ones have the same bytes. */
type Sent = { readonly status: string; readonly transaction: string }
type History = readonly Sent[]

const FIRST: Sent = { status: 'created', transaction: 'pending' }

/** Returns all histories up to a length. A transaction is settled while the batch is processed or after it is completed. */
function historiesUpTo(length: number): History[] {
  const grow = (history: History): History[] => {
    const last = history.at(-1) ?? FIRST
    const { transaction } = last
    const steps = (NEXT[last.status] ?? []).map((status) => ({ status, transaction }))
    const settles = ['processing', 'completed'].includes(last.status) && last.transaction === 'pending'
    const next = settles ? [...steps, { ...last, transaction: 'settled' }] : steps
    return [history, ...(history.length < length ? next.flatMap((step) => grow([...history, step])) : [])]
  }
  return grow([FIRST])
}

/** A moment: index of the current state at the payments API, number of arrivals of each callback, and the stored payout. */
type Moment = {
  readonly truth: number
  readonly arrivals: readonly number[]
  readonly state: Payout | null
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

function said({ status, transaction }: Sent) {
  return payoutReport(status, { transactions: [payoutTransaction({ statusRaw: transaction })] })
}

function at(history: History, event: number): Sent {
  return history[event] ?? FIRST
}

function arrive(history: History, moment: Moment, event: number): Moment {
  const decision = decidePayoutCallback(moment.state, said(at(history, event)), (moment.arrivals[event] ?? 0) > 0)
  return {
    ...moment,
    arrivals: moment.arrivals.map((count, other) => (other === event ? count + 1 : count)),
    state: decided(moment.state, decision),
    readDue: moment.readDue || decision.confirm,
  }
}

function answerRead(history: History, moment: Moment): Moment {
  const decision = decidePayoutRead(moment.state, said(at(history, moment.truth)))
  return { ...moment, state: decided(moment.state, decision), readDue: false }
}

/** Visits all reachable moments. Returns their number, and those at rest whose payout differs from the payments API's. */
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
  const { status, transaction } = at(history, history.length - 1)
  return state?.statusRaw === status && state.transactions[0]?.statusRaw === transaction && !state.provisional
}

function keyOf({ truth, arrivals, state, readDue }: Moment): string {
  const known =
    state === null
      ? '-'
      : `${state.statusRaw} ${state.reached} ${state.transactions[0]?.statusRaw} ${state.provisional}`
  return `${truth} ${arrivals.join('')} ${readDue} ${known}`
}

it.each([
  { length: 4, repeats: 3 },
  { length: 6, repeats: 1 },
])(
  'every order of every history of $length callbacks, $repeats repeats, ends with the truth',
  ({ length, repeats }) => {
    const ends = historiesUpTo(length).map((history) => wrongEnds(history, repeats))
    expect(ends.flatMap(({ wrong }) => wrong).slice(0, 5)).toEqual([])
    expect(ends.reduce((sum, { moments }) => sum + moments, 0)).toBeGreaterThan(1_000)
  },
)
