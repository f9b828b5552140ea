import { MAGIC_3DS, MAGIC_FAILURES, failureReason } from './failures.ts'
import type { MagicFailure } from './failures.ts'
import type { Fault } from './faults.ts'
import { decimalText, parseDecimal } from './decimal.ts'
import { statusOf } from './link.ts'
import type { Link } from './link.ts'
import { findByAnyUuid } from './links.ts'
import { causeMishap } from './mishaps.ts'
import type { Mishap, MishapResult } from './mishaps.ts'
import { paymentUrl } from './payment-object.ts'
import type { PaymentStatus } from './status.ts'
import { noteRefund } from './refunds.ts'
import { MAGIC_REFUNDS } from './steps.ts'
import { announce, ensurePayment, transition } from './transitions.ts'
import type { WebhookRecord } from './webhook-sender.ts'
import type { ApiCall, World } from './world.ts'

/** One link as the control endpoints show it; no payer data. */
export type LinkView = {
  uuid: string
  paymentUuid: string | null
  siteId: string
  status: PaymentStatus
  currency: string
  amount: string
  methodCode: string | null
  createdAt: string
  expiresAt: string
  paymentUrl: string
  /** When the next automatic step is due. */
  nextStepAt: string | null
  history: { status: PaymentStatus; at: string; silent: boolean }[]
}

export type SandboxState = {
  now: string
  webhookForm: 'flat' | 'nested'
  counters: { links: number; payments: number; calls: number; webhooks: number; attempts: number; faultsLeft: number }
  links: LinkView[]
}

export type MagicTable = {
  failures: readonly MagicFailure[]
  threeDs: { lastName: string; amount: string; zeroDecimalAmount: string }
  /** Refund descriptions that decide how the refund ends. */
  refunds: readonly string[]
}

export type SetStatusOptions = {
  /** The failure code of `failed`; `generic_declined` when absent. */
  errorCode?: string
  /** The truth changes and no webhook tells of it. */
  silent?: boolean
  /** What has been paid back, or is to be, in all; for refund statuses. The whole, or half for a part, when absent. */
  refundAmount?: string
}

/** The control endpoints, in process. Methods that take a uuid reject with `ControlError` when there is no such link. */
export type SandboxControl = {
  state(): SandboxState
  webhooks(): WebhookRecord[]
  failures(): MagicTable
  calls(): ApiCall[]
  /** Moves the clock forward and gives the new time. */
  advance(seconds: number): Promise<Date>
  /**
   * Sets the truth, legal transition or not, and waits for the first try of its webhook. `uuid` is the link's or the
   * payment's. Automatic steps of the payment end.
   */
  setStatus(uuid: string, status: PaymentStatus, options?: SetStatusOptions): Promise<LinkView>
  deliver(uuid: string, mishap: Mishap): Promise<MishapResult>
  addFault(fault: Fault): void
  clearFaults(): void
}

/** A control call that cannot be done; `httpStatus` is what the endpoint answers. */
export class ControlError extends Error {
  readonly httpStatus: number

  constructor(httpStatus: number, message: string) {
    super(message)
    this.httpStatus = httpStatus
  }
}

/** The control of one sandbox. */
export function createControl(world: World): SandboxControl {
  return {
    state: () => stateOf(world),
    webhooks: () => world.sender.records.map((record) => ({ ...record, attempts: [...record.attempts] })),
    failures: () => ({ failures: MAGIC_FAILURES, threeDs: MAGIC_3DS, refunds: MAGIC_REFUNDS }),
    calls: () => [...world.calls],
    advance: async (seconds) => {
      await world.clock.advance(seconds * 1000)
      return world.clock.now()
    },
    setStatus: async (uuid, status, options = {}) => {
      const link = linkOf(world, uuid)
      await setStatus(world, link, status, options)
      return viewOf(world, link)
    },
    deliver: async (uuid, mishap) => {
      const result = await causeMishap(world, linkOf(world, uuid), mishap)
      if (result === undefined) throw new ControlError(409, 'No webhook of this link was sent, or it has no address.')
      return result
    },
    addFault: (fault) => world.faults.add(fault),
    clearFaults: () => world.faults.clear(),
  }
}

async function setStatus(
  world: World,
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
    if (!silent) await announce(world, link)
    return
  }
  noteRefund(link, ensurePayment(world, link), { status, total: refunded })
  await transition(world, link, status, { silent, payCode: status === 'failed' ? { ...reason } : undefined })
}

function linkOf(world: World, uuid: string): Link {
  const link = findByAnyUuid(world, uuid)
  if (link === undefined) throw new ControlError(404, 'There is no such link.')
  return link
}

function stateOf(world: World): SandboxState {
  const links = [...world.links.values()]
  const { records } = world.sender
  return {
    now: world.clock.now().toISOString(),
    webhookForm: world.webhookForm,
    counters: {
      links: links.length,
      payments: links.filter((link) => link.payment !== undefined).length,
      calls: world.calls.length,
      webhooks: records.length,
      attempts: records.reduce((sum, record) => sum + record.attempts.length, 0),
      faultsLeft: world.faults.left,
    },
    links: links.map((link) => viewOf(world, link)),
  }
}

function viewOf(world: World, link: Link): LinkView {
  const { payment, request } = link
  return {
    uuid: link.uuid,
    paymentUuid: payment?.uuid ?? null,
    siteId: link.siteId,
    status: statusOf(link),
    currency: request.currency,
    amount: decimalText(request.amount),
    methodCode: payment?.method.code ?? request.methodCode,
    createdAt: link.createdAt.toISOString(),
    expiresAt: link.expiresAt.toISOString(),
    paymentUrl: paymentUrl(world, link),
    nextStepAt: link.step?.dueAt.toISOString() ?? null,
    history: (payment?.history ?? []).map(({ status, at, silent }) => ({ status, at: at.toISOString(), silent })),
  }
}
