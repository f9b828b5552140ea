import { z } from 'zod'
import type { MethodRequirements } from '../../domain/methods/method-field.ts'
import type { PayinMethod } from '../../domain/methods/payin-method.ts'
import type { PayoutMethod, PayoutMethodRequirements } from '../../domain/payouts/payout-method.ts'

const labels = z.array(z.string()).nullable()
const flag = z.boolean().nullable()
const text = z.string().nullable()
const flags = { refundable: flag, cancellable: flag, requiresContact: flag, requiresKyc: flag }
const shown = { minAmount: text, maxAmount: text, networks: labels, symbol: text, logo: text }
const code = {
  code: z.string().min(1),
  currency: z.string().min(1),
  countryCode: z.string().nullable(),
  kind: z.enum(['CARD', 'BANK_TRANSFER', 'ALIAS', 'EWALLET', 'MOBILE_MONEY', 'QR', 'EFT', 'OTHER']),
  kindRaw: z.string(),
}

/** Values as nodes share them. Another form needs another version in the names of their keys (`composition/open-sharing.ts`). */
export const PAYIN_METHODS: z.ZodType<readonly PayinMethod[]> = z.array(
  z.strictObject({
    ...code,
    ...shown,
    usableFor: z.array(z.enum(['LINK', 'DIRECT'])),
    name: text,
    cardBrands: labels,
    checkoutLanguages: labels,
    flags: z.strictObject(flags),
  }),
)

export const PAYOUT_METHODS: z.ZodType<readonly PayoutMethod[]> = z.array(z.strictObject(code))

const requirements = {
  ...flags,
  ...shown,
  code: z.string().min(1),
  currency: z.string().min(1),
  description: text,
  fields: z.array(
    z.strictObject({ name: z.string(), type: z.string(), required: z.boolean(), label: text, raw: z.string() }),
  ),
}

export const PAYIN_REQUIREMENTS: z.ZodType<MethodRequirements> = z.strictObject(requirements)

export const PAYOUT_REQUIREMENTS: z.ZodType<PayoutMethodRequirements> = z.strictObject({
  ...requirements,
  banks: z.array(z.strictObject({ code: z.string(), name: z.string(), shortName: text })),
})
