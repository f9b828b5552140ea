import type { Command } from '../domain/command.ts'
import { parseMethodCode, traitsOf, type MethodTraits } from '../domain/methods/payin-method.ts'
import { attributeRead } from '../domain/payments/attribution.ts'
import type { PaymentReport } from '../domain/payments/payment-report.ts'
import type { Payment } from '../domain/payments/payment.ts'
import { refundProblem, type RefundCommand as Refund, isThisRefund } from '../domain/payments/refund-rules.ts'
import type { RefundFailure } from '../lookups/operation-outcome.ts'
import { linkIdOf, siteOfSubject } from '../reconciliation/subject-readers.ts'
import type { ReadSubject } from '../store/port.ts'
import type { Site } from '../upstream/client/sites.ts'
import type { CommandOutcome, Task } from './idempotency/task.ts'
import type { CommandParts, OperationsOptions } from './parts.ts'

export type RefundRequest = Refund & { readonly paymentId: string }

/**
 * Asks for a refund. The request is sent at most once: after an attempt without an answer, a read of the payment shows whether it
 * was accepted. Source: docs/payments-api.md, section 4.4; gap sheet, sections 5.5 and 12.
 */
export async function refundPayment(
  options: CommandParts,
  request: RefundRequest,
): Promise<CommandOutcome<Refunded> | RefundFailure> {
  const subject = await options.store.reads.subject(request.paymentId)
  const [payment] = await options.store.payments.byIds([request.paymentId])
  const site = subject === null ? null : siteOfSubject(options.sites, subject)
  if (subject === null || payment === undefined || site === null) return { kind: 'not-found' }

  const task = refundTask(options, { request, subject, payment, site })
  const earlier = await options.once.earlier(task)
  if (earlier !== null) return earlier
  const refusal = refundProblem(payment, request, traits(payment, subject))
  return refusal ?? options.once.run(task)
}

type Refunded = { readonly payment: Payment; readonly requestedAt: Date }

/** Returns the traits of the method that was used, or else of the one that was asked for. */
function traits({ details }: Payment, { link, payin }: ReadSubject): Pick<MethodTraits, 'refundable'> {
  const named = details.methodRaw?.includes('_') === true ? details.methodRaw : null
  const code = named ?? payin?.methodCode ?? link?.methodCode ?? null
  return code === null ? { refundable: null } : traitsOf(parseMethodCode(code).kind)
}

type RefundParts = {
  readonly request: RefundRequest
  readonly subject: ReadSubject
  readonly payment: Payment
  readonly site: Site
}

function refundTask(
  options: CommandParts,
  { request, site, ...rest }: RefundParts,
): Task<PaymentReport | null, Refunded> {
  const { store, clock } = options
  const load = async (requestedAt: Date): Promise<Refunded | null> => {
    const [payment] = await store.payments.byIds([request.paymentId])
    return payment === undefined ? null : { payment, requestedAt }
  }
  return {
    mutation: 'refundPayment',
    key: request.idempotencyKey,
    input: request,
    subject: { paymentId: request.paymentId },
    site: site.id,
    refKind: null,
    repeatAfterMs: null,
    send: async () => (await send(options, { request, site, ...rest })).report,
    settle: async (command, report) => {
      const payment = await store.commands.settleWithPayment(command.id, {
        paymentId: request.paymentId,
        refund: {
          amount: request.amount?.value ?? null,
          reason: request.description,
        },
        report,
        at: clock(),
      })
      options.onReadDue()
      if (payment === null) throw new Error('A payment that was refunded is not on record.')
      return { payment, requestedAt: new Date(command.sentAt) }
    },
    replay: (command) => load(new Date(command.sentAt)),
    findOutcome: (command) => traceRefund(options, { request, site }, command),
  }
}

/**
 * Of an orphaned link only the correlation id is known, so its refund request has the payment's uuid instead of the link's. Of a link that
 * was made elsewhere the uuid may be known.
 */
function send({ upstream }: CommandParts, { request, subject, payment, site }: RefundParts) {
  const refund = { amount: request.amount?.value ?? null, description: request.description }
  const linkId = linkIdOf(subject)
  return payment.linkRef === null && linkId === null
    ? upstream.refundPayin(site, { uuid: payment.id, ...refund })
    : upstream.refundPayinLink(site, { uuid: linkId ?? payment.id, ...refund })
}

/** Maximum number of events of one payment that are searched; a payment has few. */
const MOST_EVENTS = 1_000

/** Longer than any call may take: after this time, an earlier call can no longer be answered. */
const LONGEST_CALL_MS = 60_000

/**
 * Reads the payment and compares it with its state when the command was sent. Returns the refund only if it can be no other than
 * this one; otherwise null, and the outcome stays unknown.
 */
async function traceRefund(
  { store, upstream }: CommandParts,
  { request, site }: Pick<RefundParts, 'request' | 'site'>,
  command: Command,
): Promise<PaymentReport | null> {
  const { paymentId, amount, description } = request
  const subject = await store.reads.subject(paymentId)
  if (subject === null || (await store.commands.hasRival(command, command.sentAt - LONGEST_CALL_MS))) return null
  const { link } = subject
  const linkId = linkIdOf(subject)
  const said = await (linkId === null ? upstream.getPayin(site, paymentId) : upstream.getPayinLink(site, linkId))
  const report = attributeRead({ paymentId, link }, said)
  if (report === null || report.paymentId !== paymentId) return null
  const { events } = await store.log.read(0, MOST_EVENTS, { paymentIds: [paymentId] })
  const version = command.subjectVersion ?? 0
  const states = events.flatMap(({ sequence, payment }) => (payment === null ? [] : [{ sequence, payment }]))
  const before = states.findLast(({ sequence }) => sequence <= version)?.payment
  const since = states.filter(({ sequence }) => sequence > version).map(({ payment }) => payment)
  if (before === undefined) return null
  return isThisRefund({ amount: amount?.value ?? null, description }, { before, since, report }) ? report : null
}

export type DismissDuplicateOutcome =
  | { readonly kind: 'done'; readonly payment: Payment }
  | { readonly kind: 'not-found' }

/** Settles a duplicate payment without a refund. Calls nothing of the payments API, so it needs no idempotency key. */
export async function dismissDuplicate(
  { store, logger, clock }: OperationsOptions,
  paymentId: string,
  requestedBy: string | null,
): Promise<DismissDuplicateOutcome> {
  const payment = await store.commands.dismissDuplicate(paymentId, clock(), requestedBy)
  if (payment === null) return { kind: 'not-found' }
  logger.info({ paymentId }, 'duplicate payment dismissed')
  return { kind: 'done', payment }
}
