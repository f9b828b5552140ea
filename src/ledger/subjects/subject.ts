import {
  type EventSource,
  type PaymentEvent,
  type PaymentEventKind,
  eventId as idOfEvent,
} from '../../domain/events/payment-event.ts'
import { isGatewayStream } from '../../domain/gateway/gateway-payment.ts'
import type { PaymentLink } from '../../domain/payments/payment-link.ts'
import type { Disposition, Payment } from '../../domain/payments/payment.ts'
import { planNoLater, type ReadPlan, replacePoll, type PlannedRead } from '../../domain/reads/read-schedule.ts'
import type { AttemptRow } from '../../store/rows/command-rows.ts'
import { ONLY } from '../../store/rows/log-rows.ts'
import type { PaymentRow } from '../../store/rows/payment-rows.ts'
import type { Rows } from '../../store/rows/rows.ts'
import type { Table } from '../../store/rows/table.ts'

/** Settings of decisions. */
type LedgerSettings = {
  /** Whether payments of one order are compared. */
  readonly findsDuplicates: boolean
  /** Encrypts a card token for the store; null where none is kept. */
  readonly sealCardToken: ((token: string) => string) | null
}

/** The state of a subject: the result of its events. */
type SubjectState = {
  readonly id: string
  readonly streamId: string
  /** Sequence number of the last event that changed it. */
  readonly version: number
  readonly statusRaw: string
  readonly provisional: boolean
  readonly updatedAt: string
}

/** A state and its record-keeping. */
type SubjectRow<State> = {
  readonly state: State
  /** Number of deliveries and responses recorded so far. */
  readonly deliveries: number
  readonly plan: ReadPlan
}

/** A report of the payments API about a subject. */
type SubjectReport = { readonly statusRaw: string }

type SubjectChange = { readonly kind: PaymentEventKind; readonly statusRaw: string }

export type SubjectDecision<Change> = {
  readonly disposition: Disposition
  /** The change to record as an event; null if nothing changes. */
  readonly change: Change | null
  /** Whether the subject is provisional from now on; null leaves it unchanged. */
  readonly provisional: boolean | null
  /** Whether a read of the payments API is due. */
  readonly confirm: boolean
}

/** The types of one kind of subject. */
export type Kind = {
  readonly State: SubjectState
  readonly Row: SubjectRow<SubjectState>
  /** The ids of a new subject. */
  readonly Names: { readonly id: string; readonly streamId: string }
  readonly Report: SubjectReport
  readonly Change: SubjectChange
}

/** The subject of a report: a recorded one, or the ids of a new one. */
export type Target<K extends Kind> = {
  readonly row: K['Row'] | null
  /** The current state; null for a new subject. */
  readonly state: K['State'] | null
  readonly names: K['Names']
  /** The report as it applies to this subject. */
  readonly report: K['Report']
}

/** The rows of a batch, and the settings. */
export type Ledger = {
  readonly rows: Rows
  readonly settings: LedgerSettings
  /** Who asked for what is decided, recorded with its events; null for what nobody asked for. */
  readonly requestedBy: string | null
}

/**
 * A kind of subject: how its rows are found, how facts about it are decided, what its events change, and its index columns. The rest of the
 * ledger is shared by all kinds.
 */
export type Subject<K extends Kind> = {
  /** Returns the subject of a webhook; null if its URL belongs to another object than its body names. */
  findTarget(rows: Rows, report: K['Report'], ref: string | null): Target<K> | null
  idOf(report: K['Report']): string
  /** Requests a read of what a webhook URL was made for, after a delivery that could not be read. Returns whether one is due. */
  readAddressed(rows: Rows, ref: string, at: Date): boolean
  /** Returns whether its stream contains only its own events, so that its version is the last sequence number. */
  ownsStream(names: K['State'] | K['Names']): boolean
  find(rows: Rows, id: string): K['Row'] | null
  put(rows: Rows, row: K['Row']): void
  decideWebhook(state: K['State'] | null, report: K['Report'], repeat: boolean): SubjectDecision<K['Change']>
  evolve(
    state: K['State'] | K['Names'],
    change: K['Change'],
    recorded: { readonly sequence: number; readonly at: string; readonly provisional: boolean },
  ): K['State']
  /** Returns the part of the resulting state that an event contains. */
  eventOf(state: K['State']): Pick<PaymentEvent, 'linkRef' | 'payment' | 'agreement' | 'payout' | 'gatewayPayment'>
  /** Returns the row of a state with its index columns. `before` is null for a new one. */
  rowOf(rows: Rows, state: K['State'], before: K['Row'] | null, report: K['Report'] | null): K['Row']
  /** Returns its next poll; null if none is planned. `now` is in milliseconds since the epoch. */
  nextPoll(rows: Rows, state: K['State'], now: number): PlannedRead | null
  /** Records the payer, unless it was erased; fields that the report omits are unchanged. */
  savePayer(ledger: Ledger, report: K['Report']): void
  /** Returns the report with the recorded payer; only missing fields are taken from the report. */
  withKnownPayer(rows: Rows, report: K['Report']): K['Report']
  /** Applies the consequences of a fact to other rows. `before` is the recorded state. */
  affect(rows: Rows, state: K['State'], fact: { readonly before: K['State'] | null; readonly isChanged: boolean }): void
  /** Records what follows from a change, as further events of this or another subject. Returns the row after them. */
  follow(ledger: Ledger, change: FollowedChange<K>): K['Row']
  /** Counts a delivery for the link that the subject belongs to. */
  countElsewhere(rows: Rows, state: K['State']): void
}

/** A kind of subject about which the payments API can be asked. */
export type ReadableSubject<K extends Kind> = Subject<K> & {
  decideRead(state: K['State'] | null, report: K['Report']): SubjectDecision<K['Change']>
  /** Records that an answer has ended a doubt and changed nothing. Returns the row after it. */
  confirmed?(ledger: Ledger, row: K['Row'], occasion: { readonly source: EventSource; readonly at: Date }): K['Row']
}

/** A recorded change. `before` is the state before it, null for a new subject. */
type FollowedChange<K extends Kind> = {
  readonly before: K['State'] | null
  readonly row: K['Row']
  readonly source: EventSource
  readonly at: Date
}

/** A change and its source. */
type Fact<K extends Kind> = {
  readonly change: K['Change']
  readonly source: EventSource
  readonly report: K['Report']
  readonly provisional: boolean
  readonly at: Date
}

/** Appends the event of a change, writes the resulting subject, plans its next read, and records what follows. */
export function recordChange<K extends Kind>(
  subject: Subject<K>,
  ledger: Ledger,
  target: Target<K>,
  { change, source, report, provisional, at }: Fact<K>,
): { row: K['Row']; eventId: string } {
  const { rows, requestedBy } = ledger
  const from = target.state ?? target.names
  const sequence = subject.ownsStream(from) ? (target.state?.version ?? 0) + 1 : nextSequence(rows, from.streamId)
  const recordedAt = at.toISOString()
  const state = subject.evolve(from, change, { sequence, at: recordedAt, provisional })
  const eventId = appendEvent(rows, {
    streamId: state.streamId,
    sequence,
    kind: change.kind,
    source,
    requestedBy,
    fromStatus: target.state?.statusRaw ?? null,
    toStatus: change.statusRaw,
    ...subject.eventOf(state),
    recordedAt,
  })
  const now = at.getTime()
  const unplanned = subject.rowOf(rows, state, target.row, report)
  const row = { ...unplanned, plan: replacePoll(unplanned.plan, subject.nextPoll(rows, state, now), now) }
  subject.put(rows, row)
  subject.savePayer(ledger, report)
  return { row: subject.follow(ledger, { before: target.row?.state ?? null, row, source, at }), eventId }
}

/** Returns a row with a read planned at an instant, as a doubt. */
export function confirmBy<Row extends { readonly plan: ReadPlan }>(row: Row, at: Date): Row {
  return { ...row, plan: planNoLater(row.plan, { at: at.getTime(), readClass: 'doubt' }) }
}

/** The same for a row whose delivery could not be read: a response that is on its way may be older. */
export function confirmUnread<Row extends { readonly plan: ReadPlan; readonly deliveries: number }>(
  row: Row,
  at: Date,
): Row {
  return { ...confirmBy(row, at), deliveries: row.deliveries + 1 }
}

type NewEvent = Omit<PaymentEvent, 'id' | 'position' | 'sequence'> & {
  /** As returned by `nextSequence` if the event's state contains it; otherwise the next one. */
  readonly sequence?: number
}

/** Returns the sequence number of the next event of a stream: 1 for the first. */
function nextSequence(rows: Rows, streamId: string): number {
  return (rows.streams.first('id', streamId)?.sequence ?? 0) + 1
}

/**
 * Appends an event to the log and to its stream. Returns its id. Only one transaction writes at a time, so positions increase in commit
 * order, and a rollback leaves no gap.
 */
export function appendEvent(rows: Rows, event: NewEvent): string {
  const sequence = event.sequence ?? nextSequence(rows, event.streamId)
  const position = (rows.logHead.first('id', ONLY)?.position ?? 0) + 1
  const id = idOfEvent(event.streamId, sequence)
  rows.logHead.put({ position })
  rows.streams.put({ id: event.streamId, sequence })
  logOf(rows, event).put({ ...event, id, sequence, position })
  return id
}

function logOf(rows: Rows, { payout, streamId }: NewEvent) {
  if (payout !== null) return rows.payoutEvents
  return isGatewayStream(streamId) ? rows.gatewayPaymentEvents : rows.events
}

/** Requests the row of the log's head together with the other rows of a fact, because most facts append an event. */
export function wantLogHead(rows: Rows): void {
  rows.logHead.want('id', ONLY)
}

/** Fields of an event that is about a link without a payment. */
export const OF_A_LINK = {
  fromStatus: null,
  toStatus: null,
  payment: null,
  agreement: null,
  payout: null,
  gatewayPayment: null,
} as const

/** Returns the payment with this uuid. */
export function findPayment(rows: Rows, id: string): PaymentRow | null {
  return rows.payments.first('id', id)
}

/** Returns the link of a payment, if it has a record. */
export function linkOf(rows: Rows, { linkRef }: Pick<Payment, 'linkRef'>): PaymentLink | null {
  return linkRef === null ? null : (rows.links.first('ref', linkRef)?.link ?? null)
}

/** Returns the attempt with this correlation id, also if its command was deleted. */
export function findAttempt(rows: Rows, ref: string): AttemptRow | null {
  return rows.attempts.first('ref', ref)
}

/** Returns the correlation ids of all attempts of the same command; only the given one if it is unknown. */
export function refsOfSameCommand(rows: Rows, ref: string): readonly string[] {
  const attempt = findAttempt(rows, ref)
  if (attempt === null) return [ref]
  return rows.attempts.find('commandId', attempt.commandId).map((other) => other.ref)
}

/** Returns whether two correlation ids belong to attempts of one command, which create the same object. */
export function isSameCommand(rows: Rows, a: string, b: string): boolean {
  return a === b || refsOfSameCommand(rows, a).includes(b)
}

/** A payer; fields that the payments API has not reported are null. */
type PayerFields = Readonly<Record<string, string | null>>

/** Returns whether a payer has any field. */
export function isNamed(payer: PayerFields): boolean {
  return Object.values(payer).some((value) => value !== null)
}

type PayerRow<Payer> = { readonly id: string; readonly payer: Payer; readonly erased: boolean }

/** Records the payer of a payment or an agreement, unless it was erased; fields that are not reported are unchanged. */
export function savePayer<Payer extends PayerFields>(
  payers: Pick<Table<PayerRow<Payer>, 'id'>, 'first' | 'put'>,
  { id, payer }: { readonly id: string; readonly payer: Payer },
): void {
  if (!isNamed(payer)) return
  const known = payers.first('id', id)
  if (known?.erased === true) return
  payers.put({ id, payer: mergePayers(payer, known?.payer), erased: false })
}

/** Returns the first payer, with missing fields from the second. */
export function mergePayers<Payer extends PayerFields>(first: Payer, second: Payer | undefined): Payer {
  if (second === undefined) return first
  const fields = Object.entries(first).map(([name, value]) => [name, value ?? second[name] ?? null])
  return Object.fromEntries(fields) as Payer
}
