import type { Method } from '../methods/methods.ts'
import { qrCodeOf } from '../payins/payin-actions.ts'
import { lapse, proceed, promptFailure, startPayment, transition } from '../payments/link-actions.ts'
import {
  failureReason,
  magicFailure,
  needs3ds,
  awaits3ds,
  awaitsPrompt,
  codeToScan,
  isPayable,
  isPayin,
  offeredMethods,
  statusOf,
  type Link,
  type Payin,
  isLegal,
} from '../state/link.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'

/** Why the page refused the customer's action; undefined on success. */
export type Refusal = { readonly httpStatus: 409 | 422; readonly message: string }

/**
 * The customer presses Pay. Without a method, uses the preselected or the first offered one. Sends the webhooks without
 * waiting for them; the payment then proceeds automatically.
 */
export function pay(store: SandboxStore, link: Link, methodCode?: string): Refusal | undefined {
  if (isPayin(link)) return payPayin(store, link)
  const method = begin(store, link, methodCode)
  if ('httpStatus' in method) return method
  const { lastName } = link.request.sender
  const { amount, currency } = link.request
  const failure = magicFailure(lastName, amount, currency)
  const authenticate = method.kind === 'card' && failure === undefined && needs3ds(lastName, amount, currency)
  const threeDs = authenticate ? { '3ds_url': `${store.origin}/checkout/${link.uuid}/3ds` } : undefined
  void proceed(store, link, 'pending', threeDs ?? qrCodeOf(link, method))
  if (failure !== undefined) void transition(store, link, 'failed', { payCode: failure })
  return undefined
}

/** The customer presses Decline, before paying or while the payment is pending. `code` selects the failure. */
export function decline(
  store: SandboxStore,
  link: Link,
  { methodCode, code = 'generic_declined' }: { methodCode?: string | undefined; code?: string | undefined } = {},
): Refusal | undefined {
  const payCode = failureReason(code)
  if (payCode === undefined) return { httpStatus: 422, message: 'There is no such failure code.' }
  if (link.payment?.status !== 'pending') {
    const method = begin(store, link, methodCode)
    if ('httpStatus' in method) return method
    void transition(store, link, 'pending')
  }
  void transition(store, link, 'failed', { payCode })
  return undefined
}

/** The customer lets the link expire. */
export function letExpire(store: SandboxStore, link: Link): Refusal | undefined {
  if (link.lapsed || !isLegal(statusOf(link), 'expired')) return TOO_LATE
  void lapse(store, link)
  return undefined
}

/** The customer approved the prompt on the handset, or paid after scanning the code, and presses "I have paid". */
export function confirmPaid(store: SandboxStore, link: Link): Refusal | undefined {
  if (!awaitsPrompt(link) && codeToScan(link) === undefined) return TOO_LATE
  void proceed(store, link, 'received')
  return undefined
}

/** The customer dismisses the prompt on the handset. */
export function dismissPrompt(store: SandboxStore, link: Link): Refusal | undefined {
  if (!awaitsPrompt(link)) return TOO_LATE
  void transition(store, link, 'failed', { payCode: promptFailure('The prompt on the handset was dismissed.') })
  return undefined
}

/** The customer completes the 3DS step, or fails it. */
export function complete3ds(store: SandboxStore, link: Link, passed: boolean): Refusal | undefined {
  if (!awaits3ds(link)) return TOO_LATE
  if (passed) void proceed(store, link, 'authorised')
  else void transition(store, link, 'failed', { payCode: failureReason('authentication_failed') })
  return undefined
}

/** The money of a payin arrives; cards and handsets have steps of their own. */
function payPayin(store: SandboxStore, payin: Payin): Refusal | undefined {
  if (!isPayable(payin, store.clock.now())) return TOO_LATE
  void proceed(store, payin, 'received')
  return undefined
}

const TOO_LATE: Refusal = { httpStatus: 409, message: 'The payment is not in a state for this.' }

/** Creates the payment, or restarts the failed one, with a method that the page offers. */
function begin(store: SandboxStore, link: Link, methodCode: string | undefined): Method | Refusal {
  if (!isPayable(link, store.clock.now())) return TOO_LATE
  const offered = offeredMethods(link)
  const method = methodCode === undefined ? offered[0] : offered.find(({ code }) => code === methodCode)
  if (method === undefined) return { httpStatus: 422, message: 'The page does not offer this method.' }
  if (link.payment === undefined) startPayment(store, link, method)
  else link.payment.method = method
  return method
}
