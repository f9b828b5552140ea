import type { About } from './endpoints.ts'

const PERSON = { first_name: 'Ada', last_name: 'Payer', email: 'ada@example.test' }

/** A sample request for each kind of subject, with a currency whose sites support it. */
const EXAMPLES = {
  links: {
    currency: 'AUD',
    path: '/v3/payin_links',
    body: { amount: 125.5, description: 'Two tickets', sender_info: PERSON },
  },
  payins: {
    currency: 'PHP',
    path: '/v2/payins',
    body: {
      currency: 'PHP',
      gst: false,
      amount: 500,
      name: 'Ada Payer',
      email: PERSON.email,
      payin_method_name: 'ph_bank_maya_php',
      payin_method_params: {},
    },
  },
  agreements: {
    currency: 'AUD',
    path: '/v1/pay_to/payment_agreement',
    body: {
      client_transaction_id: 'order-1',
      limit_amount: 250.5,
      description: 'Membership',
      payment_agreement_type: 'RETAIL',
      agreement_details: { variable_agreement_details_obj: { start_date: '30/01/31', frequency: 'MONTHLY' } },
      payer_details: { name: 'Ada Payer', bank_account_details: { bsb: '062-000', account_number: '12345678' } },
      payment_agreement_notification: { endpoint_url: 'http://127.0.0.1:9/', authorization_header: 'Bearer a' },
    },
  },
  payouts: {
    currency: 'PHP',
    path: '/v2/payouts',
    body: {
      currency: 'PHP',
      payout_method_name: 'ph_bank_php',
      description: 'Weekly wages',
      payout_transaction_details: [
        {
          ...PERSON,
          amount: 500,
          payout_method_params: { account_number: '12345678', account_name: 'Ada Payer', bank_code: '600' },
        },
      ],
      webhook_notification: { endpoint_url: 'http://127.0.0.1:9/', authorization_header: 'Bearer p' },
    },
  },
  deposits: {
    currency: 'AUD',
    path: '/v1/simulate_deposit',
    body: { account_number: '1234567', amount: '250.5' },
  },
} as const

export type ExampleName = keyof typeof EXAMPLES

/** Returns a shell command that creates a sample. When the page does not know the credentials, the command uses variables. */
export function exampleOf({ url, sites }: About, name: ExampleName): string {
  const { currency, path, body } = EXAMPLES[name]
  const site = sites.find(({ currencies }) => currencies.includes(currency))
  return [
    `curl -s ${url}${path}`,
    `  -H 'app-id: ${site?.appId ?? 'APP_ID'}'`,
    `  -H ${site?.secretKey == null ? '"secret-key: $SECRET_KEY"' : `'secret-key: ${site.secretKey}'`}`,
    `  -H 'content-type: application/json'`,
    `  -d '${JSON.stringify(body)}'`,
  ].join(' \\\n')
}
