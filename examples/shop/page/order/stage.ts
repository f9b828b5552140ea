import type { PaymentLinkView } from 'payments-subgraph-client'
import type { Step } from '../steps.tsx'

/** The stage of an order that the customer sees. */
export type Stage =
  | 'loading'
  | 'ready'
  | 'started'
  | 'authorised'
  | 'waiting'
  | 'underWay'
  | 'paid'
  | 'failed'
  | 'expired'
  | 'refunding'
  | 'partlyRefunded'
  | 'refunded'
  | 'disputed'

/** Returns the stage of a link that the customer sees. */
export function stageOf({ link, payment }: Pick<PaymentLinkView, 'link' | 'payment'>): Stage {
  if (link === null) return 'loading'
  if (payment !== null) return STAGES[payment.phase](payment.status)
  return link.state === 'EXPIRED' ? 'expired' : 'ready'
}

/** Stages by phase, whose values never change; the status, which may get new values, only refines them. */
const STAGES: Readonly<Record<Payment['phase'], (status: Payment['status']) => Stage>> = {
  IN_PROGRESS: (status) => UNDER_WAY.get(status) ?? 'underWay',
  SUCCEEDED: (status) => (status === 'PARTIALLY_REFUNDED' ? 'partlyRefunded' : 'paid'),
  FAILED: () => 'failed',
  EXPIRED: () => 'expired',
  REFUNDING: () => 'refunding',
  REFUNDED: () => 'refunded',
  DISPUTED: () => 'disputed',
}

const UNDER_WAY: ReadonlyMap<string, Stage> = new Map([
  ['PENDING', 'started'],
  ['AUTHORISED', 'authorised'],
  ['WAITING', 'waiting'],
])

/** Stages after the money has come, which have a receipt. */
export const PAID: ReadonlySet<Stage> = new Set(['paid', 'refunding', 'partlyRefunded', 'refunded', 'disputed'])

/** Returns the step of the order that a stage belongs to; null once it is paid. */
export function stepOf(stage: Stage): Step | null {
  if (stage === 'loading' || stage === 'ready' || stage === 'failed' || stage === 'expired') return 'stepPay'
  return UNDER_WAY_STAGES.has(stage) ? 'stepConfirm' : null
}

const UNDER_WAY_STAGES: ReadonlySet<Stage> = new Set(['started', 'authorised', 'waiting', 'underWay'])

/** A link and its payment, as the client kit returns them. */
export type Link = NonNullable<PaymentLinkView['link']>
export type Payment = NonNullable<PaymentLinkView['payment']>
