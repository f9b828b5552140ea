import { AGREEMENT_STATUSES } from '../agreements/sandbox-agreement.ts'
import type { AgreementStatus } from '../agreements/sandbox-agreement.ts'
import { PAYMENT_STATUSES, REFUND_STATUSES } from '../payments/status.ts'
import type { PaymentStatus } from '../payments/status.ts'
import { PAYOUT_STATUSES } from '../payouts/sandbox-payout.ts'
import type { PayoutStatus } from '../payouts/sandbox-payout.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'

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
export function aboutOf({ origin, sites, webhookSecret, isFixed }: SandboxStore): SandboxAbout {
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
