import { z } from 'zod'
import type { PayinMethod } from '../../domain/methods/payin-method.ts'
import type { PayoutMethod } from '../../domain/payouts/payout.ts'

const labels = z.array(z.string()).nullable()
const flag = z.boolean().nullable()
const code = {
  code: z.string().min(1),
  currency: z.string().min(1),
  countryCode: z.string().nullable(),
  kind: z.enum(['CARD', 'BANK_TRANSFER', 'ALIAS', 'EWALLET', 'MOBILE_MONEY', 'QR', 'EFT', 'OTHER']),
  kindRaw: z.string(),
}

/** Lists as nodes share them. Another form needs another version in the names of their keys (`composition/open-sharing.ts`). */
export const PAYIN_METHODS: z.ZodType<readonly PayinMethod[]> = z.array(
  z.strictObject({
    ...code,
    name: z.string(),
    minAmount: z.string().nullable(),
    maxAmount: z.string().nullable(),
    cardBrands: labels,
    checkoutLanguages: labels,
    flags: z.strictObject({ refundable: flag, cancellable: flag, requiresContact: flag, requiresKyc: flag }),
  }),
)

export const PAYOUT_METHODS: z.ZodType<readonly PayoutMethod[]> = z.array(z.strictObject(code))
