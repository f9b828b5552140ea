import { BSB } from '../values/object-shapes.ts'
import type { Fields } from '../values/request-fields.ts'
import { isEmail, oneOf } from '../values/request-parts.ts'
import { PAY_ID_TYPES } from './sandbox-agreement.ts'
import type { Payer } from './sandbox-agreement.ts'

/**
 * Reads `payer_details` (docs/payments-api.md, section 2.3). The list of required fields there names both the bank account
 * and the alias, but its text requires one of them: either is sufficient, and both are accepted.
 */
export function readPayer(fields: Fields): Payer {
  const payer = fields.requiredObject('payer_details')
  if (payer === undefined) return { name: '', bankAccount: undefined, payId: undefined }
  const name = payer.text('name')
  if (name !== '' && !NAME.test(name)) payer.fail('name', 'has other characters than letters, digits and inner spaces')
  const bankAccount = readBankAccount(payer)
  const payId = readPayId(payer)
  if (bankAccount === undefined && payId === undefined) {
    payer.fail('bank_account_details', 'or pay_id_details must be given')
  }
  return { name, bankAccount, payId }
}

/** Includes combining marks, which some scripts need for their letters. */
const NAME = /^[\p{L}\p{M}\p{N} ]*[\p{L}\p{M}\p{N}]$/u

const PAY_ID_SHAPES: Record<(typeof PAY_ID_TYPES)[number], (text: string) => boolean> = {
  EMAIL: isEmail,
  PHONE: (text) => /^\+?\d[\d -]{5,18}$/.test(text),
  ABN: (text) => /^\d{11}$/.test(text.replaceAll(' ', '')),
}

function readBankAccount(payer: Fields): Payer['bankAccount'] {
  const details = payer.optionalObject('bank_account_details')
  if (details === undefined) return undefined
  const bsb = details.text('bsb')
  if (bsb !== '' && !BSB.test(bsb)) details.fail('bsb', 'is not a bank-state-branch number')
  return { bsb, accountNumber: details.text('account_number') }
}

function readPayId(payer: Fields): Payer['payId'] {
  const details = payer.optionalObject('pay_id_details')
  if (details === undefined) return undefined
  const id = details.text('pay_id')
  const type = oneOf(details, 'pay_id_type', PAY_ID_TYPES)
  if (type === undefined) return undefined
  if (id !== '' && !PAY_ID_SHAPES[type](id)) details.fail('pay_id', `is not of the type ${type}`)
  return { id, type }
}
