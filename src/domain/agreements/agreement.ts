import { compareDecimals } from '../money/money.ts'
import type { Disposition } from '../payments/payment.ts'
import type { AgreementReport, PaymentAgreementStatus, RequestedAgreementStatus } from './agreement-report.ts'

/** Everything about an agreement except its status and its payer. Values that the payments API has not reported are null. */
export type AgreementFacts = Omit<AgreementReport, 'id' | 'statusRaw' | 'status' | 'payer'>

/** An agreement: the result of its events. The payer is stored separately, so that it can be protected, and erased, independently. */
export type Agreement = AgreementFacts &
  NewAgreement & {
    /** Sequence of the last event that changed it. */
    readonly version: number
    readonly statusRaw: string
    /** Null while the payments API reports a status that this version does not recognise. */
    readonly status: PaymentAgreementStatus | null
    /** All statuses that it has had. A status that is reported a second time may come from a late delivery. */
    readonly seen: readonly PaymentAgreementStatus[]
    /** The last report is uncertain, and a read is due to confirm it. */
    readonly provisional: boolean
    /** Instant of the last change, ISO 8601 in UTC. */
    readonly updatedAt: string
  }

/** What is known of an agreement before it is reported. */
export type NewAgreement = {
  /** The upstream `payment_agreement_id`. */
  readonly id: string
  /** Our correlation id, created before the request was sent: the last segment of the agreement's callback URL. */
  readonly ref: string
  readonly streamId: string
  readonly site: string
  /** Subject of the end user who may read and follow it. */
  readonly ownerId: string | null
}

export type AgreementChange = {
  readonly kind: 'AGREEMENT_CREATED' | 'AGREEMENT_STATUS_CHANGED' | 'AGREEMENT_AMENDED'
  readonly statusRaw: string
  readonly status: PaymentAgreementStatus | null
  readonly facts: AgreementFacts
}

export type AgreementDecision = {
  readonly disposition: Disposition
  /** The change to record as an event; null if nothing changes. */
  readonly change: AgreementChange | null
  /** Whether the agreement is provisional from now on; null leaves it unchanged. */
  readonly provisional: boolean | null
  /** Whether a read of the payments API is due. */
  readonly confirm: boolean
}

/** Returns the id of the stream that contains the events of an agreement. */
export function agreementStreamId(ref: string): string {
  return `agreement:${ref}`
}

/**
 * Decides what a callback means for an agreement. A callback contains no time of sending, and suspended and active may alternate any number
 * of times, so the latest arrival is applied, and a read confirms it unless it leads to `cancelled` or from `created` to `active`. A
 * callback never changes the statuses `cancelled` and `failed`, and never leads back to `created`: such a callback is late.
 *
 * `repeat` means that the same bytes were received before; a second suspension has the same bytes as the first. Source: payments-api.md,
 * section 4.1, and gap sheet, section 2.
 */
export function decideAgreementCallback(
  state: Agreement | null,
  report: AgreementReport,
  repeat: boolean,
): AgreementDecision {
  if (state === null) return create(report, !SETTLED_FROM_THE_START.has(report.status))
  if (contradicts(state, report)) return DOUBTFUL
  const facts = merge(state, report)
  if (!hasStatus(state, report)) {
    if (state.status === 'cancelled') return STALE
    if (state.status === 'failed') return { ...STALE, confirm: report.status !== 'created' }
    if (report.status === 'created') return { ...STALE, confirm: state.status === null }
    return repeat ? IN_DOUBT : changeStatus(state, report, facts)
  }
  if (sameFacts(state, facts)) return NOTHING_NEW
  return repeat ? IN_DOUBT : amend(state, facts)
}

/**
 * Decides what a response of the payments API means, to a read or to a command of ours, which also returns the agreement. It shows the
 * state at the time of the response, so it may lead to any status, except out of `cancelled` and back to `created`. Source: gap sheet,
 * sections 2 and 16.
 */
export function decideAgreementRead(state: Agreement | null, report: AgreementReport): AgreementDecision {
  if (state === null) return { ...create(report, false), provisional: false }
  if (contradicts(state, report)) return STALE
  const facts = merge(state, report)
  if (hasStatus(state, report))
    return sameFacts(state, facts)
      ? { ...NOTHING_NEW, provisional: false }
      : { ...amend(state, facts), provisional: false, confirm: false }
  if (state.status === 'cancelled') return STALE
  if (report.status === 'created' && state.seen.some((status) => status !== 'created')) return STALE
  return { ...changeStatus(state, report, facts), provisional: false, confirm: false }
}

/** Returns the agreement after a change. For the first change, `state` contains only what is known of the new agreement before. */
export function evolveAgreement(
  state: Agreement | NewAgreement,
  change: AgreementChange,
  recorded: { sequence: number; at: string; provisional: boolean },
): Agreement {
  const seen = 'version' in state ? state.seen : []
  return {
    ...change.facts,
    id: state.id,
    ref: state.ref,
    streamId: state.streamId,
    site: state.site,
    ownerId: state.ownerId,
    version: recorded.sequence,
    statusRaw: change.statusRaw,
    status: change.status,
    seen: change.status === null || seen.includes(change.status) ? seen : [...seen, change.status],
    provisional: recorded.provisional,
    updatedAt: recorded.at,
  }
}

/**
 * Returns whether the merchant may request this status. If the current status is not recognised, the payments API decides. Source: gap
 * sheet, sections 2 and 15.
 */
export function canChangeStatus(from: PaymentAgreementStatus | null, to: RequestedAgreementStatus): boolean {
  return from === null || ASKED_FOR[from].includes(to)
}

/** Returns whether the terms may be changed. Source: gap sheet, section 14, which names no status; all but the final ones are accepted. */
export function canAmend(status: PaymentAgreementStatus | null): boolean {
  return status !== 'cancelled' && status !== 'failed'
}

const ASKED_FOR: Readonly<Record<PaymentAgreementStatus, readonly RequestedAgreementStatus[]>> = {
  created: ['cancelled'],
  active: ['suspended', 'cancelled'],
  suspended: ['active', 'cancelled'],
  cancelled: [],
  failed: [],
}

/** An agreement that is first reported with one of these statuses needs no read: it is new, or it has ended. */
const SETTLED_FROM_THE_START: ReadonlySet<PaymentAgreementStatus | null> = new Set(['created', 'cancelled'])

const NOTHING_NEW: AgreementDecision = { disposition: 'NO_CHANGE', change: null, provisional: null, confirm: false }
const STALE: AgreementDecision = { disposition: 'STALE', change: null, provisional: null, confirm: false }
const DOUBTFUL: AgreementDecision = { disposition: 'DOUBTFUL', change: null, provisional: true, confirm: true }

/** A repeat of bytes that differ from the current state: either a late retry, or the same change a second time. */
const IN_DOUBT: AgreementDecision = { ...NOTHING_NEW, provisional: true, confirm: true }

function create(report: AgreementReport, confirm: boolean): AgreementDecision {
  const { statusRaw, status } = report
  return {
    disposition: 'APPLIED',
    change: { kind: 'AGREEMENT_CREATED', statusRaw, status, facts: merge(NOTHING_KNOWN, report) },
    provisional: status === null,
    confirm,
  }
}

function changeStatus(state: Agreement, report: AgreementReport, facts: AgreementFacts): AgreementDecision {
  const { statusRaw, status } = report
  const plain = status === 'cancelled' || (state.status === 'created' && status === 'active')
  return {
    disposition: 'APPLIED',
    change: { kind: 'AGREEMENT_STATUS_CHANGED', statusRaw, status, facts },
    provisional: leadsForward(state, status) ? null : true,
    confirm: !plain,
  }
}

/**
 * Returns whether the status can only be newer than the known one. A second suspension, or any return to active, may be a late delivery.
 */
function leadsForward(state: Agreement, status: PaymentAgreementStatus | null): boolean {
  if (status === 'cancelled') return true
  if (state.status === 'created') return status !== null
  return state.status === 'active' && status === 'suspended' && !state.seen.includes('suspended')
}

/** A value that was missing is accepted; a value that replaces another may be older than it, so a read is due. */
function amend(state: Agreement, facts: AgreementFacts): AgreementDecision {
  const replaces = factKeys(facts).some((key) => state[key] !== null && state[key] !== facts[key])
  return {
    disposition: 'APPLIED',
    change: { kind: 'AGREEMENT_AMENDED', statusRaw: state.statusRaw, status: state.status, facts },
    provisional: replaces ? true : null,
    confirm: replaces,
  }
}

function hasStatus(state: Agreement, report: AgreementReport): boolean {
  return report.status === null ? report.statusRaw === state.statusRaw : report.status === state.status
}

/** Returns whether a report has other ids than the agreement, and is therefore about another one. */
function contradicts(state: Agreement, report: AgreementReport): boolean {
  const differs = (a: string | null, b: string | null): boolean => a !== null && b !== null && a !== b
  return (
    state.id !== report.id ||
    differs(state.serviceId, report.serviceId) ||
    differs(state.clientTransactionId, report.clientTransactionId)
  )
}

/** The facts of an agreement before its first report. */
const NOTHING_KNOWN: AgreementFacts = {
  serviceId: null,
  clientTransactionId: null,
  reference: null,
  description: null,
  limit: null,
  purposeRaw: null,
  purpose: null,
  amountRule: null,
  frequencyRaw: null,
  frequency: null,
  startDate: null,
  createdAt: null,
}

/**
 * Returns the known facts with those of a report. Facts that the report omits, or only spells in another way, stay unchanged; so do the ids
 * and the time of creation once they are known.
 */
function merge(known: AgreementFacts, said: AgreementFacts): AgreementFacts {
  const purpose = said.purposeRaw === null || (said.purpose !== null && said.purpose === known.purpose) ? known : said
  const frequency =
    said.frequencyRaw === null || (said.frequency !== null && said.frequency === known.frequency) ? known : said
  return {
    serviceId: known.serviceId ?? said.serviceId,
    clientTransactionId: known.clientTransactionId ?? said.clientTransactionId,
    reference: said.reference ?? known.reference,
    description: said.description ?? known.description,
    limit: said.limit === null || sameDecimal(known.limit, said.limit) ? known.limit : said.limit,
    purposeRaw: purpose.purposeRaw,
    purpose: purpose.purpose,
    amountRule: said.amountRule ?? known.amountRule,
    frequencyRaw: frequency.frequencyRaw,
    frequency: frequency.frequency,
    startDate: said.startDate ?? known.startDate,
    createdAt: known.createdAt ?? said.createdAt,
    // Left undefined where it is: a null would look like a change.
    amendmentStatusRaw: said.amendmentStatusRaw ?? known.amendmentStatusRaw,
  }
}

function sameDecimal(a: string | null, b: string): boolean {
  return a !== null && compareDecimals(a, b) === 0
}

function sameFacts(state: Agreement, facts: AgreementFacts): boolean {
  return factKeys(facts).every((key) => state[key] === facts[key])
}

function factKeys(facts: AgreementFacts): (keyof AgreementFacts)[] {
  return Object.keys(facts) as (keyof AgreementFacts)[]
}
