import { compareDecimals } from '../money/money.ts'
import type { Disposition } from '../payments/payment.ts'
import type { AgreementReport, AgreementStatus, RequestedAgreementStatus } from './agreement-report.ts'

/** Everything about an agreement but its status and who pays. Whatever the payments API has not said is null. */
export type AgreementFacts = Omit<AgreementReport, 'id' | 'statusRaw' | 'status' | 'payer'>

/** An agreement as its events have made it. The payer is kept apart, so that it can be guarded, and erased, on its own. */
export type Agreement = AgreementFacts &
  NewAgreement & {
    /** Sequence of the last event that changed it. */
    readonly version: number
    readonly statusRaw: string
    /** Null while the payments API reports a status that this version does not know. */
    readonly status: AgreementStatus | null
    /** Every status that it has had: one that comes a second time may be a late delivery. */
    readonly seen: readonly AgreementStatus[]
    /** What was told last is being checked against the payments API. */
    readonly provisional: boolean
    /** Instant of the last change, ISO 8601 in UTC. */
    readonly updatedAt: string
  }

/** Names an agreement of which nothing else is known. */
export type NewAgreement = {
  /** The upstream `payment_agreement_id`. */
  readonly id: string
  /** Our correlation id, made before the payments API was asked: the last segment of the agreement's callback address. */
  readonly ref: string
  readonly streamId: string
  readonly site: string
}

export type AgreementChange = {
  readonly kind: 'AGREEMENT_CREATED' | 'AGREEMENT_STATUS_CHANGED' | 'AGREEMENT_AMENDED'
  readonly statusRaw: string
  readonly status: AgreementStatus | null
  readonly facts: AgreementFacts
}

export type AgreementDecision = {
  readonly disposition: Disposition
  /** The change to record as an event; null when nothing changes. */
  readonly change: AgreementChange | null
  /** Whether the agreement is in doubt from now on; null leaves it as it was. */
  readonly provisional: boolean | null
  /** Whether the payments API is to be asked what is true. */
  readonly confirm: boolean
}

/** The stream that holds the events of an agreement. */
export function agreementStreamId(ref: string): string {
  return `agreement:${ref}`
}

/**
 * Decides what a callback means for an agreement. Nothing in it tells when it was sent, and suspended and active follow
 * each other as often as the merchant and the payer like, so the last arrival wins and a read confirms it. `cancelled`
 * and `failed` are final, and nothing leads back to `created`: what says otherwise came late.
 *
 * `repeat` says that the very same bytes came before; a second suspension has the bytes of the first.
 * Source: payments-api.md, section 4.1, and gap sheet, section 2.
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
 * Decides what an answer of the payments API means: to a read, and to a command of ours, which gives the agreement too. It
 * tells the truth of its moment, so it may lead anywhere but out of `cancelled` and back to `created`.
 * Source: gap sheet, sections 2 and 16.
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

/** The agreement after a change. A birth names one of which nothing was known. */
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
    version: recorded.sequence,
    statusRaw: change.statusRaw,
    status: change.status,
    seen: change.status === null || seen.includes(change.status) ? seen : [...seen, change.status],
    provisional: recorded.provisional,
    updatedAt: recorded.at,
  }
}

/**
 * Whether the merchant may ask for this status. Of an agreement in a status that this version does not know, the payments API
 * is the judge. Source: gap sheet, sections 2 and 15.
 */
export function canChangeStatus(from: AgreementStatus | null, to: RequestedAgreementStatus): boolean {
  return from === null || ASKED_FOR[from].includes(to)
}

/** Whether the terms may still be changed. Source: gap sheet, section 14, which names no status: all but the final ones. */
export function canAmend(status: AgreementStatus | null): boolean {
  return status !== 'cancelled' && status !== 'failed'
}

const ASKED_FOR: Readonly<Record<AgreementStatus, readonly RequestedAgreementStatus[]>> = {
  created: ['cancelled'],
  active: ['suspended', 'cancelled'],
  suspended: ['active', 'cancelled'],
  cancelled: [],
  failed: [],
}

/** Heard of first in one of these, an agreement needs no read: it has just been made, or is over for good. */
const SETTLED_FROM_THE_START: ReadonlySet<AgreementStatus | null> = new Set(['created', 'cancelled'])

const NOTHING_NEW: AgreementDecision = { disposition: 'NO_CHANGE', change: null, provisional: null, confirm: false }
const STALE: AgreementDecision = { disposition: 'STALE', change: null, provisional: null, confirm: false }
const DOUBTFUL: AgreementDecision = { disposition: 'DOUBTFUL', change: null, provisional: true, confirm: true }

/** The same bytes again, and the agreement has moved on since: late, or the same once more. */
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

/** Whether this can only be newer than what is known. A second suspension, or any return to active, may be a late one. */
function leadsForward(state: Agreement, status: AgreementStatus | null): boolean {
  if (status === 'cancelled') return true
  if (state.status === 'created') return status !== null
  return state.status === 'active' && status === 'suspended' && !state.seen.includes('suspended')
}

/** What fills a gap is believed; what replaces something may be older than it. */
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

/** A body that names other ids than the agreement's own speaks of another one. */
function contradicts(state: Agreement, report: AgreementReport): boolean {
  const differs = (a: string | null, b: string | null): boolean => a !== null && b !== null && a !== b
  return (
    state.id !== report.id ||
    differs(state.serviceId, report.serviceId) ||
    differs(state.clientTransactionId, report.clientTransactionId)
  )
}

/** What is known of an agreement before anything was told. */
export const NOTHING_KNOWN: AgreementFacts = {
  serviceId: null,
  clientTransactionId: null,
  externalId: null,
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

/** What the report leaves out stays as it was, and so does what it merely spells in another way. */
function merge(known: AgreementFacts, said: AgreementFacts): AgreementFacts {
  const purpose = said.purposeRaw === null || (said.purpose !== null && said.purpose === known.purpose) ? known : said
  const frequency =
    said.frequencyRaw === null || (said.frequency !== null && said.frequency === known.frequency) ? known : said
  return {
    serviceId: known.serviceId ?? said.serviceId,
    clientTransactionId: known.clientTransactionId ?? said.clientTransactionId,
    externalId: said.externalId ?? known.externalId,
    description: said.description ?? known.description,
    limit: said.limit === null || sameDecimal(known.limit, said.limit) ? known.limit : said.limit,
    purposeRaw: purpose.purposeRaw,
    purpose: purpose.purpose,
    amountRule: said.amountRule ?? known.amountRule,
    frequencyRaw: frequency.frequencyRaw,
    frequency: frequency.frequency,
    startDate: said.startDate ?? known.startDate,
    createdAt: known.createdAt ?? said.createdAt,
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
