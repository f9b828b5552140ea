import { recordedAmount } from '../methods/methods.ts'
import type { SandboxSite, SandboxStore } from '../state/sandbox-store.ts'
import { compareDecimals, decimal, parseDecimal, type Decimal } from '../values/decimal.ts'
import { Fields, type JsonObject, type Problems } from '../values/request-fields.ts'

/** A simulated deposit into the treasury account of a site. */
export type Deposit = {
  readonly siteId: string
  readonly currency: string
  readonly accountNumber: string
  readonly amount: Decimal
  readonly at: Date
}

/**
 * Validates the body of a simulated deposit (docs/payments-api.md, section 4.8). The deposit is in the site's first
 * currency.
 */
export function readDeposit(
  body: JsonObject,
  { currencies }: SandboxSite,
): { deposit: Pick<Deposit, 'currency' | 'accountNumber' | 'amount'> } | { problems: Problems } {
  const fields = new Fields(body)
  const currency = currencies[0] ?? ''
  for (const name of REMITTER) {
    const text = fields.optionalText(name)
    if (currency === 'JPY' && text !== undefined && !HALF_WIDTH_KATAKANA.test(text))
      fields.fail(name, 'must be in half-width katakana')
  }
  fields.optionalText('remarks')
  const accountNumber = fields.text('account_number')
  const amount = readAmount(fields, currency)
  return fields.isClean ? { deposit: { currency, accountNumber, amount } } : { problems: fields.problems }
}

/** Records a deposit. */
export function bookDeposit(
  store: SandboxStore,
  site: SandboxSite,
  deposit: Pick<Deposit, 'currency' | 'accountNumber' | 'amount'>,
): void {
  const amount = recordedAmount(deposit.amount, deposit.currency)
  store.deposits.push({ ...deposit, amount, siteId: site.id, at: store.clock.now() })
}

const ZERO = decimal('0')
const REMITTER = ['remitter_name', 'remitter_bank_name', 'remitter_branch_name'] as const
/** Allows spaces between the parts of a name. */
const HALF_WIDTH_KATAKANA = /^[\uff66-\uff9f]+(?: [\uff66-\uff9f]+)*$/
const PLAIN = /^\d+(?:\.\d+)?$/

function readAmount(fields: Fields, currency: string): Decimal {
  const text = fields.text('amount')
  if (text === '') return ZERO
  const amount = PLAIN.test(text) ? parseDecimal(text) : undefined
  if (amount === undefined) fields.fail('amount', 'is not a decimal')
  else if (compareDecimals(amount, ZERO) <= 0) fields.fail('amount', 'must be greater than 0')
  else if (currency === 'JPY' && text.includes('.')) fields.fail('amount', 'must be in whole units')
  return amount ?? ZERO
}
