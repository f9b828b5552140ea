import { DEFAULT_SITES } from 'payments-subgraph-sandbox'
import { payeeInput, payoutInput } from './inputs.ts'

export const PAYOUT_UPDATES = `subscription PayoutUpdates($id: ID!, $after: String) {
  payoutUpdates(id: $id, after: $after) {
    kind cursor previousCursor resyncReason
    event { id kind sequence cursor source fromStatus toStatus payout { id statusRaw } }
    payout { id status version transactions { statusRaw payeeMasked } }
  }
}`

/** Settings of a network whose site for AUD pays out by v1. */
export const V1_SITES = {
  UPSTREAM_SITES: JSON.stringify(DEFAULT_SITES.map((site) => Object.assign({ v1Payouts: site.id === 'aud' }, site))),
}

/** Returns one payee of a v1 payout. */
export function v1PayeeInput(over: Record<string, unknown> = {}): Record<string, unknown> {
  const methodFields = { bsb: '062-000', account_number: '112233445' }
  return payeeInput({ lastName: "O'Payee", methodFields, ...over })
}

/** Returns the input of a v1 payout of two transactions, one by PayID. */
export function v1PayoutInput(over: Record<string, unknown> = {}): Record<string, unknown> {
  const joan = { firstName: 'Joan', amount: '59.75', methodFields: { payid: 'Joan@Example.test' } }
  return payoutInput({ methodCode: 'au_bank_v1_aud', transactions: [v1PayeeInput(), v1PayeeInput(joan)], ...over })
}

/** Returns the input of a batch whose payees are the lines of a file. */
export function payoutFileInput(over: Record<string, unknown> = {}): Record<string, unknown> {
  const { transactions: _transactions, ...input } = payoutInput()
  const file =
    'first_name,last_name,email,amount,account_number,account_name,bsb\n' +
    'Grace,Payee,grace@example.test,40.25,112233445,Grace Payee,062000\n' +
    'Joan,Payee,joan@example.test,59.75,112233446,Joan Payee,062000\n'
  return { ...input, file, ...over }
}

/** Returns the same for a v1 payout, one of whose payees has a PayID. */
export function v1PayoutFileInput(over: Record<string, unknown> = {}): Record<string, unknown> {
  const file =
    'payee,email,amount,payid,bsb,account_number\n' +
    "Ada O'Payee,ada@example.test,40.25,ada@example.test,,\n" +
    'Joan Payee,joan@example.test,59.75,,062-000,112233445\n'
  return payoutFileInput({ methodCode: 'au_bank_v1_aud', file, ...over })
}
