import { AGREEMENT_STATUSES } from '../agreements/agreement.ts'
import type { AgreementStatus } from '../agreements/agreement.ts'
import { PAYMENT_STATUSES, REFUND_STATUSES } from '../payments/status.ts'
import type { PaymentStatus } from '../payments/status.ts'
import { PAYOUT_STATUSES } from '../payouts/payout.ts'
import type { PayoutStatus } from '../payouts/payout.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'

/** What does not change while a sandbox runs. A secret is null where it is not the one that every sandbox has. */
export type SandboxAbout = {
  /** The base address of the interface; ends in `/api`. */
  url: string
  sites: { id: string; appId: string; secretKey: string | null; currencies: string[] }[]
  webhookSecret: string | null
  statuses: {
    payments: readonly PaymentStatus[]
    /** Those of the payments that take an amount paid back. */
    refunds: readonly PaymentStatus[]
    agreements: readonly AgreementStatus[]
    payouts: readonly PayoutStatus[]
  }
}

/** Address, credentials and statuses of a sandbox. */
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
