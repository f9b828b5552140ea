import type { Sandbox } from 'payments-subgraph-sandbox'
import { call } from './support.ts'

type Body = Record<string, unknown>

/** Returns the body of an agreement creation that the payments API accepts. */
export function agreementBody(over: Body = {}): Body {
  return {
    client_transaction_id: 'order-1',
    limit_amount: 250.5,
    description: 'Monthly rent',
    payment_agreement_type: 'OTHER_SERVICE',
    agreement_details: { variable_agreement_details_obj: { start_date: '29/02/28', frequency: 'MONTHLY' } },
    payer_details: { name: 'Ada Payer 2', bank_account_details: { bsb: '062-000', account_number: '12345678' } },
    payment_agreement_notification: { endpoint_url: 'https://shop.example.test/a', authorization_header: 'Bearer a' },
    ...over,
  }
}

/** Returns the body of a payin creation that the payments API accepts, with a method that shows a redirect URL. */
export function payinBody(over: Body = {}): Body {
  return {
    currency: 'PHP',
    gst: false,
    amount: 500,
    name: 'Ada Payer',
    email: 'ada@example.test',
    payin_method_name: 'ph_bank_maya_php',
    payin_method_params: {},
    ...over,
  }
}

/** Returns the body of a payin creation with the AUD alias. */
export function aliasBody(over: Body = {}): Body {
  return payinBody({
    currency: 'AUD',
    payin_method_name: 'au_alias_npp_aud',
    payin_method_params: { callback_url: 'https://shop.example.test/back' },
    ...over,
  })
}

/** Returns one payee of a payout that the payments API accepts. */
export function payee(over: Body = {}): Body {
  return {
    first_name: 'Ada',
    last_name: 'Payee 2',
    email: 'ada@example.test',
    amount: 500,
    payout_method_params: { account_number: '12345678', account_name: 'Ada Payee', bank_code: '600' },
    ...over,
  }
}

/** Returns the body of a payout creation that the payments API accepts. */
export function payoutBody(over: Body = {}): Body {
  return {
    payout_transaction_details: [payee()],
    currency: 'PHP',
    payout_method_name: 'ph_bank_php',
    description: 'Weekly wages',
    webhook_notification: { endpoint_url: 'https://shop.example.test/p', authorization_header: 'Bearer p' },
    ...over,
  }
}

/** Returns the body of a v1 payout creation that the payments API accepts. */
export function v1PayoutBody(over: Body = {}): Body {
  const account = { bsb: '062-000', account_number: '112233445' }
  return {
    payout_transaction_details: [
      { payee: "Ada O'Payee", email: 'ada@example.test', amount: 100, payid: 'ada@example.test' },
      { payee: 'Joan Payee', email: 'joan@example.test', amount: 40.25, address: '1 Engine Street', ...account },
    ],
    description: 'Refunds of the week',
    webhook_notification: { endpoint_url: 'https://shop.example.test/p', authorization_header: 'Bearer p' },
    ...over,
  }
}

/** Sends a body and returns the record of the answer. Throws if the answer is not 200. */
export async function create(sandbox: Sandbox, path: string, body: Body, site = 'php'): Promise<Body> {
  const { status, text, json } = await call(sandbox, path, { site, body })
  if (status !== 200) throw new Error(`${path} was answered ${status}: ${text}`)
  return json
}
