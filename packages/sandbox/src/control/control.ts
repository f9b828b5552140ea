import { knownQrs, type KnownQr } from '../accounts/bank-accounts.ts'
import { MAGIC_PAYERS, moveAgreement, agreementWebhookSource, agreementIdOf } from '../agreements/sandbox-agreement.ts'
import {
  MAGIC_REFUNDS,
  findByAnyUuid,
  noteRefund,
  announce,
  ensurePayment,
  transition,
  linkWebhookSource,
} from '../payments/link-actions.ts'
import { MAGIC_PAYOUTS, type MagicPayout, movePayout, payoutWebhookSource } from '../payouts/payout-steps.ts'
import { emptyStore } from '../saved/saved-state.ts'
import { type Agreement, type AgreementStatus, AGREEMENT_STATUSES } from '../state/agreement.ts'
import {
  MAGIC_3DS,
  MAGIC_FAILURES,
  type MagicFailure,
  failureReason,
  type PaymentStatus,
  type Link,
  PAYMENT_STATUSES,
  REFUND_STATUSES,
} from '../state/link.ts'
import { type Payout, type PayoutStatus, PAYOUT_STATUSES } from '../state/payout.ts'
import type { ActiveFault, Fault, ApiCall, SandboxStore } from '../state/sandbox-store.ts'
import type { WebhookAttempt, WebhookRecord } from '../state/webhook-sender.ts'
import { parseDecimal } from '../values/decimal.ts'
import {
  sendFault,
  type WebhookFault,
  type WebhookFaultResult,
  type WebhookSource,
} from '../webhooks/webhook-faults.ts'
import {
  agreementView,
  linkView,
  payoutView,
  stateOf,
  type AgreementView,
  type LinkView,
  type PayoutView,
  type SandboxState,
  listed,
  type ListOptions,
} from './control-views.ts'

/** Names, amounts and texts that select an outcome. */
export type MagicTable = {
  failures: readonly MagicFailure[]
  threeDs: { lastName: string; amount: string; zeroDecimalAmount: string }
  /** Refund descriptions that select how the refund ends. */
  refunds: readonly string[]
  /** Payer names of agreements: `reject` rejects the mandate, `wait` keeps it pending. */
  payers: { reject: string; wait: string }
  /** Amounts of payout transactions that select an outcome. */
  payouts: readonly MagicPayout[]
}

/** `silent`: true changes the status without sending a webhook. */
export type Silently = { silent?: boolean }

/** The control endpoints as functions. Methods that take an id reject with `ControlError` when nothing has that id. */
export type SandboxControl = {
  about(): SandboxAbout
  state(options?: ListOptions): SandboxState
  webhooks(options?: ListOptions): WebhookRecord[]
  failures(): MagicTable
  calls(options?: ListOptions): ApiCall[]
  /** The bank accounts that the look-up knows, each with its VietQR payload. */
  bankAccounts(): KnownQr[]
  /** Moves the clock forward and returns the new time. */
  advance(seconds: number): Promise<Date>
  /**
   * Sets the actual status, even if the transition is not legal, and waits for the first attempt of its webhook. `uuid` is
   * that of a link, its payment, a payin or a gateway payment. Cancels the planned automatic step of the payment.
   */
  setStatus(uuid: string, status: PaymentStatus, options?: SetStatusOptions): Promise<LinkView>
  deliver(uuid: string, fault: WebhookFault): Promise<WebhookFaultResult>
  /** Does the same for an agreement; `id` is the numeric id or `agreement-<n>`. */
  setAgreementStatus(id: string | number, status: AgreementStatus, options?: Silently): Promise<AgreementView>
  deliverAgreement(id: string | number, fault: WebhookFault<AgreementStatus>): Promise<WebhookFaultResult>
  /** Does the same for a payout. */
  setPayoutStatus(uuid: string, status: PayoutStatus, options?: Silently): Promise<PayoutView>
  deliverPayout(uuid: string, fault: WebhookFault<PayoutStatus>): Promise<WebhookFaultResult>
  /** Sends an earlier webhook again with the same bytes and signature, and waits for the response. */
  resend(id: string): Promise<WebhookAttempt>
  addFault(fault: Fault): void
  /** Returns the faults that have not been used up. */
  faults(): ActiveFault[]
  clearFaults(): void
  /** Removes everything, also what is saved, and sets the clock to the current time. */
  reset(): void
}

/** Returns the control functions of one sandbox. */
export function createControl(store: SandboxStore): SandboxControl {
  const { changes } = store
  return {
    about: () => aboutOf(store),
    state: (options) => stateOf(store, options),
    webhooks: (options) =>
      listed(store.sender.records, (record) => ({ ...record, attempts: [...record.attempts] }), options),
    failures: () => MAGIC_TABLE,
    calls: (options) => listed(store.calls, (call) => ({ ...call }), options),
    bankAccounts: knownQrs,
    advance: async (seconds) => {
      await store.clock.advance(seconds * 1000)
      return store.clock.now()
    },
    setStatus: async (uuid, status, options = {}) => {
      const link = linkOf(store, uuid)
      await setPaymentStatus(store, link, status, options).finally(() => changes.note())
      return linkView(store, link)
    },
    deliver: async (uuid, fault) => cause(store, linkWebhookSource(store, linkOf(store, uuid)), fault),
    setAgreementStatus: async (id, status, options = {}) => {
      const agreement = agreementOf(store, id)
      await moveAgreement(store, agreement, status, options).finally(() => changes.note())
      return agreementView(agreement)
    },
    deliverAgreement: async (id, fault) => cause(store, agreementWebhookSource(store, agreementOf(store, id)), fault),
    setPayoutStatus: async (uuid, status, options = {}) => {
      const payout = payoutOf(store, uuid)
      await movePayout(store, payout, status, options).finally(() => changes.note())
      return payoutView(payout)
    },
    deliverPayout: async (uuid, fault) => cause(store, payoutWebhookSource(store, payoutOf(store, uuid)), fault),
    resend: async (id) => {
      const attempt = store.sender.resend(id)
      if (attempt === undefined) throw new ControlError(404, 'There is no such webhook.')
      return attempt
    },
    addFault: (fault) => {
      store.faults.add(fault)
      changes.note()
    },
    faults: () => store.faults.list(),
    clearFaults: () => {
      store.faults.clear()
      changes.note()
    },
    reset: () => {
      emptyStore(store)
      changes.note()
    },
  }
}

const MAGIC_TABLE: MagicTable = {
  failures: MAGIC_FAILURES,
  threeDs: MAGIC_3DS,
  refunds: MAGIC_REFUNDS,
  payers: MAGIC_PAYERS,
  payouts: Object.values(MAGIC_PAYOUTS),
}

async function cause<Status extends string>(
  store: SandboxStore,
  source: WebhookSource<Status>,
  fault: WebhookFault<Status>,
): Promise<WebhookFaultResult> {
  const result = await sendFault(store, source, fault)
  if (result === undefined) throw new ControlError(409, 'No webhook of it was sent, or it has no address.')
  return result
}

function agreementOf(store: SandboxStore, id: string | number): Agreement {
  const agreement = [...store.agreements.values()].find(
    (candidate) => String(candidate.id) === String(id) || agreementIdOf(candidate) === id,
  )
  if (agreement === undefined) throw new ControlError(404, 'There is no such payment agreement.')
  return agreement
}

function payoutOf(store: SandboxStore, uuid: string): Payout {
  const payout = store.payouts.get(uuid)
  if (payout === undefined) throw new ControlError(404, 'There is no such payout.')
  return payout
}

export type SetStatusOptions = {
  /** The failure code of `failed`; `generic_declined` when absent. */
  errorCode?: string
  /** Changes the status without sending a webhook. */
  silent?: boolean
  /**
   * The total refunded or requested amount, for refund statuses. Default: the whole amount, or half of it for a partial
   * refund.
   */
  refundAmount?: string
}

/** Sets the status of a link, payin or gateway payment and waits for the first attempt of its webhook. */
async function setPaymentStatus(
  store: SandboxStore,
  link: Link,
  status: PaymentStatus,
  { errorCode = 'generic_declined', silent = false, refundAmount }: SetStatusOptions,
): Promise<void> {
  const reason = failureReason(errorCode)
  if (reason === undefined) throw new ControlError(422, 'There is no such failure code.')
  const refunded = refundAmount === undefined ? undefined : parseDecimal(refundAmount)
  if (refundAmount !== undefined && refunded === undefined) throw new ControlError(422, 'The refund is no amount.')
  if (status === 'expired' && link.payment === undefined) {
    link.lapsed = true
    if (!silent) await announce(store, link)
    return
  }
  noteRefund(link, ensurePayment(store, link), { status, total: refunded })
  await transition(store, link, status, { silent, payCode: status === 'failed' ? { ...reason } : undefined })
}

/** Returns the link, payin or gateway payment with this uuid, or the one whose payment has it. */
function linkOf(store: SandboxStore, uuid: string): Link {
  const link = findByAnyUuid(store, uuid)
  if (link === undefined) throw new ControlError(404, 'There is no such link or payin.')
  return link
}

/** Facts that do not change while a sandbox runs. A secret is null unless it is the fixed default of every sandbox. */
export type SandboxAbout = {
  /** The base URL of the interface; ends in `/api`. */
  url: string
  sites: { id: string; appId: string; secretKey: string | null; currencies: string[] }[]
  webhookSecret: string | null
  statuses: {
    payments: readonly PaymentStatus[]
    /** The payment statuses that accept a refund amount. */
    refunds: readonly PaymentStatus[]
    agreements: readonly AgreementStatus[]
    payouts: readonly PayoutStatus[]
  }
}

/** Returns the addresses, credentials and statuses of a sandbox. */
function aboutOf({ origin, sites, webhookSecret, isFixed }: SandboxStore): SandboxAbout {
  return {
    url: `${origin}/api`,
    sites: sites.map(({ id, appId, secretKey, currencies }) => ({
      id,
      appId,
      secretKey: isFixed.sites ? secretKey : null,
      currencies: [...currencies],
    })),
    webhookSecret: isFixed.webhookSecret ? webhookSecret : null,
    statuses: {
      payments: PAYMENT_STATUSES,
      refunds: [...REFUND_STATUSES],
      agreements: AGREEMENT_STATUSES,
      payouts: PAYOUT_STATUSES,
    },
  }
}

/** Thrown when a control call cannot be carried out; `httpStatus` is the status of the response. */
export class ControlError extends Error {
  readonly httpStatus: number

  constructor(httpStatus: number, message: string) {
    super(message)
    this.httpStatus = httpStatus
  }
}
