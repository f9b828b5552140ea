import type { DocumentRequest, PersonRequest } from '../../../src/domain/customers/person.ts'
import type { WireAgreementRequest } from '../../../src/upstream/wire/wire-agreement.ts'
import type { PayinLinkRequest, WirePayinRequest } from '../../../src/upstream/wire/wire-payin-request.ts'
import type { WirePayoutRequest } from '../../../src/upstream/wire/wire-payout-request.ts'

const webhook = { endpointUrl: 'https://merchant.test/webhooks/payments/r1', authorizationHeader: 'Bearer v1.k.abc' }

export const LINK: PayinLinkRequest = {
  amount: { value: '125.50', currency: 'AUD' },
  description: 'Order 17',
  sender: { email: 'jo@payer.test', firstName: 'Jo', lastName: 'Payer' },
  webhook,
}
export const PAYIN: WirePayinRequest = {
  currency: 'AUD',
  amount: '125.50',
  gst: false,
  customerName: 'Jo Payer',
  customerEmail: 'jo@payer.test',
  methodCode: 'au_payid_npp_aud',
  methodFields: {},
  webhook,
}
export const PAYEE = { firstName: 'Jo', lastName: 'Payer', email: 'jo@payer.test', amount: '40.25', methodFields: {} }
export const PAYOUT: WirePayoutRequest = {
  currency: 'AUD',
  methodCode: 'au_bank_aud',
  description: 'Prizes of the week',
  transactions: [PAYEE, { ...PAYEE, amount: '59.75' }],
  webhook,
}
export const TERMS = {
  limit: '250.50',
  amountRule: 'VARIABLE',
  frequency: 'MONTHLY',
  startDate: '2030-01-31',
  webhook,
} as const
export const AGREEMENT: WireAgreementRequest = {
  ...TERMS,
  clientTransactionId: 'mandate-1',
  description: 'Membership',
  purpose: 'RETAIL',
  payer: { name: 'Jo Payer', bankAccount: { bsb: '062-000', accountNumber: '481516234' } },
}
export const PERSON: PersonRequest = {
  email: 'jo@payer.test',
  firstName: 'Jo',
  lastName: 'Payer',
  dateOfBirth: '1990-12-10',
  phone: '+61-412345678',
  gender: 'female',
  type: 'individual',
  street: '1 Engine Street',
  city: 'Sydney',
  postalCode: '2000',
  state: 'NSW',
  countryCode: 'AU',
}
export const DOCUMENT: DocumentRequest = {
  issueCountry: 'AU',
  type: 'passport',
  number: 'P8152342',
  issuedOn: '2020-01-31',
  expiresOn: '2030-01-30',
}
export const CHECK = {
  email: 'jo@payer.test',
  documentType: 'passport',
  documentNumber: 'P8152342',
  nameInDocument: 'JO PAYER',
  expiresOn: '2030-01-30',
  issueCountry: 'AU',
  nationality: 'GB',
  webhook,
} as const

/** Yields the pictures of an identity check; with `fails` it ends with an error. */
export async function* pictures(fails = false) {
  for (const name of ['selfie', 'front', 'back'] as const)
    yield { name, type: 'image/jpeg' as const, bytes: bytesOf(name) }
  if (fails) throw new Error('The client hung up.')
}

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}
