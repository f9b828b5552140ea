import { randomBytes } from 'node:crypto'

type Input = Record<string, unknown>

/** Returns an unused key. */
export function newKey(): string {
  return randomBytes(8).toString('hex')
}

/** An account number and an alias that occur only in the request. */
export const ACCOUNT_NUMBER = '481516234'
export const ALIAS = 'ada.of.the.engine@example.test'

/** Returns the input of an agreement, valid under every rule; `over` replaces parts of it. */
export function agreementInput(over: Input = {}): Input {
  return {
    clientTransactionId: newKey(),
    limit: { value: '250.50', currency: 'AUD' },
    description: 'Membership of the club',
    purpose: 'RETAIL',
    amountRule: 'VARIABLE',
    frequency: 'MONTHLY',
    startDate: '2030-01-31',
    payer: { name: 'Ada Payer', bankAccount: { bsb: '062-000', accountNumber: ACCOUNT_NUMBER } },
    ...over,
  }
}

/** Returns new terms of an agreement. */
export function amendmentInput(id: string, over: Input = {}): Input {
  return {
    idempotencyKey: newKey(),
    id,
    limit: { value: '300', currency: 'AUD' },
    amountRule: 'FIXED',
    frequency: 'WEEKLY',
    startDate: '2030-02-28',
    ...over,
  }
}

/** Returns the input of a direct payin by a Korean bank transfer. */
export function payinInput(over: Input = {}): Input {
  return {
    idempotencyKey: newKey(),
    reference: `order-${newKey()}`,
    amount: { value: '25000', currency: 'KRW' },
    methodCode: 'kr_bank_krw',
    customerName: 'Ada Payer',
    customerEmail: 'ada@example.test',
    description: 'Two tickets',
    methodFields: { user_name: 'ada' },
    ...over,
  }
}

/** Returns the input of a direct payin through an Australian alias, whose instructions arrive later. */
export function aliasPayinInput(over: Input = {}): Input {
  return payinInput({
    amount: { value: '125.50', currency: 'AUD' },
    methodCode: 'au_alias_npp_aud',
    methodFields: { callback_url: 'https://shop.example.test/back' },
    ...over,
  })
}

/** Returns a file in Base64 that begins as a PNG does and contains a QR payload as text, which the sandbox finds in it. */
export function qrImage(qrContent: string): string {
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from(qrContent)]).toString('base64')
}

/** Returns one payee of a payout in AUD. */
export function payeeInput(over: Input = {}): Input {
  return {
    firstName: 'Grace',
    lastName: 'Payee',
    email: 'grace@example.test',
    amount: '40.25',
    methodFields: { account_number: '112233445', account_name: 'Grace Payee', bsb: '062000' },
    ...over,
  }
}

/** Returns the input of a payout of two transactions. */
export function payoutInput(over: Input = {}): Input {
  return {
    idempotencyKey: newKey(),
    currency: 'AUD',
    methodCode: 'au_bank_aud',
    description: 'Prizes of the week',
    reference: 'batch-7',
    transactions: [payeeInput(), payeeInput({ firstName: 'Joan', amount: '59.75' })],
    ...over,
  }
}

/** Returns a person with an unused e-mail address. */
export function personInput(over: Input = {}): Input {
  return {
    email: `ada.${newKey()}@example.test`,
    firstName: 'Ada',
    lastName: 'Contact',
    dateOfBirth: '1990-12-10',
    phone: '+61 412 345 678',
    gender: 'FEMALE',
    street: '1 Engine Street',
    city: 'Sydney',
    postalCode: '2000',
    state: 'NSW',
    countryCode: 'AU',
    ...over,
  }
}

/** The number of an identity document that occurs only in the request. */
export const DOCUMENT_NUMBER = 'P8152342'

/** Returns an identity document. */
function documentInput(over: Input = {}): Input {
  return {
    type: 'PASSPORT',
    issueCountry: 'AU',
    number: DOCUMENT_NUMBER,
    issuedOn: '2020-01-31',
    expiresOn: '2099-01-30',
    ...over,
  }
}

/** Returns the input of a contact. */
export function contactInput(over: Input = {}): Input {
  return { idempotencyKey: newKey(), currency: 'AUD', person: personInput(), ...over }
}

/** Returns the input of a customer. */
export function customerInput(over: Input = {}): Input {
  return { ...contactInput(), document: documentInput(), ...over }
}

/** Returns the input of an identity check of a contact in AUD. */
export function identityInput(email: string, over: Input = {}): Input {
  return {
    email,
    currency: 'AUD',
    documentType: 'PASSPORT',
    documentNumber: DOCUMENT_NUMBER,
    nameInDocument: 'ADA CONTACT',
    expiresOn: '2099-01-30',
    issueCountry: 'AU',
    nationality: 'AU',
    ...over,
  }
}

/** Returns the input of a payment on the hosted gateway. */
export function gatewayInput(over: Input = {}): Input {
  return {
    idempotencyKey: newKey(),
    reference: newKey(),
    amount: { value: '99.95', currency: 'AUD' },
    description: 'One order',
    successUrl: 'https://shop.example.test/thanks',
    billing: { firstName: 'Ada', lastName: 'Payer', phone: '+61412345678', email: 'ada@example.test' },
    items: [{ id: 'item-1', name: 'Ticket', quantity: 1, price: '99.95' }],
    ...over,
  }
}
