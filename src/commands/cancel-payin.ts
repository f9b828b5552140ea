import { keyProblem } from '../domain/field-problems.ts'
import { parseMethodCode, traitsOf } from '../domain/methods/payin-method.ts'
import type { PaymentReport } from '../domain/payments/payment-report.ts'
import type { Payment } from '../domain/payments/payment.ts'
import { asUnknown, type RefundFailure } from '../lookups/operation-outcome.ts'
import { siteOfSubject } from '../reconciliation/subject-readers.ts'
import type { Site } from '../upstream/client/sites.ts'
import type { CommandOutcome, Task } from './idempotency/task.ts'
import type { CommandParts } from './parts.ts'

export type CancelPayinRequest = { readonly idempotencyKey: string; readonly paymentId: string }

/**
 * Cancels a pending direct payin (gap sheet, section 12). The request is sent at most once: after an attempt without an answer, a read shows
 * whether it took effect.
 */
export async function cancelPayin(
  options: CommandParts,
  request: CancelPayinRequest,
): Promise<CommandOutcome<Payment> | RefundFailure> {
  const problem = keyProblem(request.idempotencyKey)
  if (problem !== null) return { kind: 'invalid-input', problems: [problem] }
  const { store, once, requirements } = options
  const subject = await store.reads.subject(request.paymentId)
  const [payment] = await store.payments.byIds([request.paymentId])
  const site = subject === null ? null : siteOfSubject(options.sites, subject)
  if (payment === undefined || subject === null || site === null) return { kind: 'not-found' }
  if (subject.payin === null) return { kind: 'not-supported' }
  const task = cancelTask(options, request, site)
  const earlier = await once.earlier(task)
  if (earlier === null) {
    const { methodCode } = subject.payin
    const record = await requirements.payinFields(site, methodCode)
    const { cancellable } = traitsOf(parseMethodCode(methodCode).kind, record ?? undefined)
    if (cancellable === false) return { kind: 'not-supported' }
    if (payment.status !== 'pending') return { kind: 'state-conflict', statusRaw: payment.statusRaw }
  }
  return earlier ?? once.run(task)
}

function cancelTask(
  { store, upstream, onReadDue, clock }: CommandParts,
  request: CancelPayinRequest,
  site: Site,
): Task<PaymentReport, Payment> {
  const { paymentId } = request
  const recorded = (payment: Payment | null | undefined): Payment => {
    if (payment == null) throw new Error('A payin that was cancelled is not on record.')
    return payment
  }
  return {
    mutation: 'cancelPayin',
    key: request.idempotencyKey,
    input: request,
    subject: { paymentId },
    site: site.id,
    refKind: null,
    repeatAfterMs: null,
    send: async () => {
      await upstream.cancelPayin(site, paymentId)
      return upstream.getPayin(site, paymentId).catch(asUnknown)
    },
    settle: async (command, report) => {
      const payment = await store.commands.settleWithPayment(command.id, { paymentId, report, at: clock() })
      onReadDue()
      return recorded(payment)
    },
    replay: async () => recorded((await store.payments.byIds([paymentId]))[0]),
    findOutcome: async () => {
      const report = await upstream.getPayin(site, paymentId)
      return report.status === 'expired' ? report : null
    },
  }
}
