import type { EventSource, PaymentEvent, PaymentEventKind } from '../domain/payments/payment-event.ts'
import type { Disposition } from '../domain/payments/payment.ts'
import { planNoLater, type ReadPlan, replacePoll } from '../domain/reads/read-plan.ts'
import type { PlannedRead } from '../domain/reads/read-schedule.ts'
import type { Rows } from '../store/rows/rows.ts'
import { appendEvent, nextSequence } from './append-events.ts'

/** What decisions are made with besides rows. */
export type LedgerSettings = {
  /** How long after its last change a payment is polled, in milliseconds. */
  readonly refundWindowMs: number
}

/** The state of a subject as its events have made it. */
export type SubjectState = {
  readonly id: string
  readonly streamId: string
  /** Sequence of the last event that changed it. */
  readonly version: number
  readonly statusRaw: string
  readonly provisional: boolean
  readonly updatedAt: string
}

/** A state with what is recorded beside it. */
export type SubjectRow<State> = {
  readonly state: State
  /** Deliveries and answers recorded so far. */
  readonly deliveries: number
  readonly plan: ReadPlan
}

/** What the payments API says of a subject. */
export type SubjectReport = { readonly statusRaw: string }

export type SubjectChange = { readonly kind: PaymentEventKind; readonly statusRaw: string }

export type SubjectDecision<Change> = {
  readonly disposition: Disposition
  /** The change to record as an event; null when nothing changes. */
  readonly change: Change | null
  /** Whether the subject is in doubt from now on; null leaves it as it was. */
  readonly provisional: boolean | null
  /** Whether the payments API is to be asked what is true. */
  readonly confirm: boolean
}

/** The types of one kind of subject. */
export type Kind = {
  readonly State: SubjectState
  readonly Row: SubjectRow<SubjectState>
  /** What names a subject of which nothing else is known. */
  readonly Names: { readonly id: string; readonly streamId: string }
  readonly Report: SubjectReport
  readonly Change: SubjectChange
}

/** What a report speaks about: a subject on record, or the names of a new one. */
export type Target<K extends Kind> = {
  readonly row: K['Row'] | null
  /** The state as the report meets it; null for a new one. */
  readonly state: K['State'] | null
  readonly names: K['Names']
  /** The report as it applies to this subject. */
  readonly report: K['Report']
}

/** The rows of a batch, and what is decided with besides. */
export type Ledger = { readonly rows: Rows; readonly settings: LedgerSettings }

/**
 * A kind of subject: how its rows are found, how facts about it are decided, what its events change, and which columns it is
 * found by. Everything else of the ledger is the same for each.
 */
export type Subject<K extends Kind> = {
  /** Finds what a webhook speaks about. Null when its address belongs to something else than its body names. */
  findTarget(rows: Rows, report: K['Report'], ref: string | null): Target<K> | null
  idOf(report: K['Report']): string
  /** Whether its stream holds no events but its own, so that its version is the last one's sequence. */
  ownsStream(names: K['State'] | K['Names']): boolean
  find(rows: Rows, id: string): K['Row'] | null
  put(rows: Rows, row: K['Row']): void
  decideWebhook(state: K['State'] | null, report: K['Report'], repeat: boolean): SubjectDecision<K['Change']>
  decideRead(state: K['State'] | null, report: K['Report']): SubjectDecision<K['Change']>
  evolve(
    state: K['State'] | K['Names'],
    change: K['Change'],
    recorded: { readonly sequence: number; readonly at: string; readonly provisional: boolean },
  ): K['State']
  /** What an event carries of the state after it. */
  eventOf(state: K['State']): Pick<PaymentEvent, 'linkRef' | 'payment' | 'agreement'>
  /** The row of a state, with the columns by which it is found. `before` is null for a new one. */
  rowOf(rows: Rows, state: K['State'], before: K['Row'] | null, report: K['Report'] | null): K['Row']
  /** When it is read next although nothing asks for it. `lateMs` is how late the read was that has just been made. */
  nextPoll(
    rows: Rows,
    state: K['State'],
    times: { readonly now: number; readonly windowMs: number; readonly lateMs: number },
  ): PlannedRead | null
  /** Records who pays; what the report leaves out stays as it was. */
  savePayer(rows: Rows, report: K['Report']): void
  /** The report with what is recorded of the payer in place of what it tells. */
  withKnownPayer(rows: Rows, report: K['Report']): K['Report']
  /** The row once an answer of the payments API was recorded: older answers that are still under way come too late. */
  confirmed(row: K['Row'], at: Date): K['Row']
  /** What follows from a fact for other rows. `before` is the state as it was on record. */
  affect(rows: Rows, state: K['State'], fact: { readonly before: K['State'] | null; readonly isChanged: boolean }): void
  /** Counts a delivery for what the subject belongs to. */
  countElsewhere(rows: Rows, state: K['State']): void
}

/** A change, and where it comes from. */
export type Fact<K extends Kind> = {
  readonly change: K['Change']
  readonly source: EventSource
  readonly report: K['Report']
  readonly provisional: boolean
  readonly at: Date
}

/** Appends the event of a change, writes the subject as it is after it, and plans when it is read next. */
export function recordChange<K extends Kind>(
  subject: Subject<K>,
  { rows, settings }: Ledger,
  target: Target<K>,
  { change, source, report, provisional, at }: Fact<K>,
): { row: K['Row']; eventId: string } {
  const from = target.state ?? target.names
  const sequence = subject.ownsStream(from) ? (target.state?.version ?? 0) + 1 : nextSequence(rows, from.streamId)
  const recordedAt = at.toISOString()
  const state = subject.evolve(from, change, { sequence, at: recordedAt, provisional })
  const eventId = appendEvent(rows, {
    streamId: state.streamId,
    sequence,
    kind: change.kind,
    source,
    fromStatus: target.state?.statusRaw ?? null,
    toStatus: change.statusRaw,
    ...subject.eventOf(state),
    recordedAt,
  })
  const now = at.getTime()
  const unplanned = subject.rowOf(rows, state, target.row, report)
  const next = subject.nextPoll(rows, state, { now, windowMs: settings.refundWindowMs, lateMs: 0 })
  const row = { ...unplanned, plan: replacePoll(unplanned.plan, next, now) }
  subject.put(rows, row)
  subject.savePayer(rows, report)
  return { row, eventId }
}

/** Has a doubt about a subject settled by a read that is due at an instant. */
export function confirmBy<Row extends { readonly plan: ReadPlan }>(row: Row, at: Date): Row {
  return { ...row, plan: planNoLater(row.plan, { at: at.getTime(), readClass: 'doubt' }) }
}
