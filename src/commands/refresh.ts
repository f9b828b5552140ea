import { importNumber, importProblems, type ImportRequest, type PaymentImport } from '../domain/imports/import-plan.ts'
import type { PaymentLink } from '../domain/payments/payment-link.ts'
import type { Payment } from '../domain/payments/payment.ts'
import { type ReadFailure, faultOf, readFailure, type InvalidInput } from '../lookups/operation-outcome.ts'
import { importParts } from '../reconciliation/imports/importer.ts'
import type { FoundPayment } from '../store/port.ts'
import type { OperationsOptions } from './parts.ts'

export type RefreshOutcome =
  | {
      readonly kind: 'done'
      readonly payment: Payment | null
      readonly link: PaymentLink | null
      readonly changed: boolean
    }
  | ReadFailure

/**
 * Reads a link or a payment from the payments API now, and records any change as an event. An id that is not on record is looked for at the
 * payments API if the caller `mayFind`, and what it has is recorded.
 */
export async function refreshPayment(
  options: OperationsOptions,
  id: string,
  { mayFind, requestedBy }: { readonly mayFind: boolean; readonly requestedBy: string | null },
): Promise<RefreshOutcome> {
  const { store, readPayment } = options
  const subject = await store.reads.subject(id)
  if (subject === null) return mayFind ? findPayment(options, id, requestedBy) : { kind: 'not-found' }
  const result = await readPayment(subject, requestedBy)
  if (result.kind === 'failed') return failureOf(result.error, subject.link?.site ?? '')

  const [link] = subject.link === null ? [] : await store.links.byIds([subject.link.id])
  const paymentId = subject.paymentId ?? link?.paymentId ?? null
  const [payment] = paymentId === null ? [] : await store.payments.byIds([paymentId])
  return { kind: 'done', payment: payment ?? null, link: link ?? null, changed: result.outcome === 'changed' }
}

async function findPayment(
  { store, paymentFinder, clock, onReadDue }: OperationsOptions,
  id: string,
  requestedBy: string | null,
): Promise<RefreshOutcome> {
  let found: FoundPayment | null
  try {
    found = await paymentFinder.find(id)
  } catch (error) {
    return failureOf(error, '')
  }
  const payment = found === null ? null : await store.imports.recordFound(found, clock(), requestedBy)
  if (payment === null) return { kind: 'not-found' }
  onReadDue()
  const [link] = payment.linkRef === null ? [] : await store.links.byRefs([payment.linkRef])
  return { kind: 'done', payment, link: link ?? null, changed: true }
}

/** Throws an error that is no fault of the payments API: it is ours, and is logged where it is answered. */
function failureOf(error: unknown, site: string): ReadFailure {
  const fault = faultOf(error)
  if (fault === null) throw error
  return readFailure(fault, site)
}

export type ImportOutcome =
  | { readonly kind: 'done'; readonly import: PaymentImport; readonly replayed: boolean }
  | InvalidInput
  | { readonly kind: 'state-conflict'; readonly statusRaw: string }

/**
 * Begins an import, which goes on in the background, up to now at most. Needs no idempotency key: a repeat finds the running import, and
 * what is on record is not recorded again.
 */
export async function importPayments(
  { store, sites, clock, onImportBegun }: OperationsOptions,
  request: ImportRequest,
  requestedBy: string | null,
): Promise<ImportOutcome> {
  const now = clock()
  const problems = importProblems(request, { now, known: new Set(sites.all.map(({ id }) => id)) })
  if (problems.length > 0) return { kind: 'invalid-input', problems }
  const to = Math.min(request.to.getTime(), now.getTime())
  const plan = { from: request.from.getTime(), to, parts: importParts(sites, request.sites ?? []) }
  const begun = await store.imports.begin({
    plan,
    dryRun: request.dryRun,
    daily: false,
    requestedBy,
    requestedAt: now,
  })
  if (begun.kind === 'too-many') return { kind: 'state-conflict', statusRaw: 'RUNNING' }
  onImportBegun()
  return { kind: 'done', import: begun.import, replayed: begun.kind === 'running' }
}

/** Cancels an import. The process that works on it ends it with its next step. */
export async function cancelImport(
  { store, onImportBegun }: OperationsOptions,
  id: string,
): Promise<{ readonly kind: 'done'; readonly import: PaymentImport } | { readonly kind: 'not-found' }> {
  const number = importNumber(id)
  const cancelled = number === null ? null : await store.imports.cancel(number)
  if (cancelled === null) return { kind: 'not-found' }
  onImportBegun()
  return { kind: 'done', import: cancelled }
}
