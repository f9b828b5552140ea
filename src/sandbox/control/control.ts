import { knownQrs } from '../accounts/bank-accounts.ts'
import type { KnownQr } from '../accounts/bank-accounts.ts'
import { MAGIC_PAYERS, moveAgreement } from '../agreements/agreement-actions.ts'
import { agreementWebhookSource } from '../agreements/agreement-webhooks.ts'
import { agreementIdOf } from '../agreements/sandbox-agreement.ts'
import type { Agreement, AgreementStatus } from '../agreements/sandbox-agreement.ts'
import { MAGIC_3DS, MAGIC_FAILURES } from '../payments/failures.ts'
import type { MagicFailure } from '../payments/failures.ts'
import type { PaymentStatus } from '../payments/status.ts'
import { MAGIC_REFUNDS } from '../payments/steps.ts'
import { MAGIC_PAYOUTS } from '../payouts/magic-payouts.ts'
import type { MagicPayout } from '../payouts/magic-payouts.ts'
import { movePayout } from '../payouts/payout-steps.ts'
import { payoutWebhookSource } from '../payouts/payout-webhooks.ts'
import type { Payout, PayoutStatus } from '../payouts/sandbox-payout.ts'
import { emptyStore } from '../saved/saved-state.ts'
import type { ActiveFault, Fault } from '../state/api-faults.ts'
import type { ApiCall, SandboxStore } from '../state/sandbox-store.ts'
import { linkWebhookSource } from '../webhooks/link-webhooks.ts'
import { sendFault } from '../webhooks/webhook-faults.ts'
import type { WebhookFault, WebhookFaultResult, WebhookSource } from '../webhooks/webhook-faults.ts'
import type { WebhookAttempt, WebhookRecord } from '../webhooks/webhook-sender.ts'
import { aboutOf } from './about.ts'
import type { SandboxAbout } from './about.ts'
import { ControlError } from './control-error.ts'
import { agreementView, linkView, payoutView, stateOf } from './control-views.ts'
import type { AgreementView, LinkView, PayoutView, SandboxState } from './control-views.ts'
import { listed } from './list.ts'
import type { ListOptions } from './list.ts'
import { linkOf, setPaymentStatus } from './payment-control.ts'
import type { SetStatusOptions } from './payment-control.ts'

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
