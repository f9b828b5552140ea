import { callFailures, commandFailures, failures } from './failures.ts'
import type { AskOptions, Network } from './network.ts'

export const AGREEMENT_FIELDS = `id serviceId clientTransactionId reference status statusRaw version description
  limit { value currency } purpose purposeRaw amountRule frequency startDate createdAt`

export const PAYMENT_FIELDS = `id reference status statusRaw phase version provisional instructions { raw } methodRaw
  amount { value currency } paid { value } refunded { value } refundableAmount { value } method { code }`

export const PAYOUT_FIELDS = `id status statusRaw totalAmount { value currency } method { code } description reference
  scheduledAt errorCode errorMessage transactions { id amount { value currency } statusRaw payee errorMessage }`

const PERSON = `site nameMasked emailMasked type countryCode
  personal { email firstName middleName lastName dateOfBirth phone genderRaw registrationNumber
    street street2 city postalCode state }`

export const CUSTOMER_FIELDS = `id ${PERSON}
  document { type typeRaw issueCountry numberMasked issuedOn expiresOn }`

export const CONTACT_FIELDS = `id ${PERSON} identityStatus identityResults { status statusRaw message }
  document { type typeRaw issueCountry numberMasked issuedOn expiresOn }`

const CUSTOMER = `... on PaymentCustomerSuccess { replayed customer { ${CUSTOMER_FIELDS} } }`
const AGREEMENT = `... on PaymentAgreementSuccess { replayed agreement { ${AGREEMENT_FIELDS} statusToken } }`
const PAYOUT = `... on PayoutSuccess { replayed payout { ${PAYOUT_FIELDS} } }`
const ACCEPTED = '... on SimulationAccepted { response }'

/** Fields that the tests select from the result of each mutation. */
const SELECTIONS = {
  createPaymentLink: `... on CreatePaymentLinkSuccess { replayed link { id checkoutUrl } }
    ${commandFailures('PaymentsInvalidInputError', 'PaymentsAmountOutOfRangeError', 'PaymentsMethodUnavailableError')}`,
  createPaymentAgreement: `${AGREEMENT} ${commandFailures('PaymentsInvalidInputError')}`,
  amendPaymentAgreement: `${AGREEMENT} ${commandFailures('PaymentsInvalidInputError', 'PaymentsStateConflictError')}`,
  changePaymentAgreementStatus: `${AGREEMENT} ${commandFailures('PaymentsInvalidInputError', 'PaymentsStateConflictError')}`,
  createPayin: `... on CreatePayinSuccess { replayed payment { ${PAYMENT_FIELDS} statusToken } }
    ${commandFailures('PaymentsInvalidInputError', 'PaymentsAmountOutOfRangeError', 'PaymentsMethodUnavailableError')}`,
  refundPayment: `... on RefundPaymentSuccess { replayed refundExpiresAt payment { ${PAYMENT_FIELDS} } }
    ${commandFailures('PaymentsInvalidInputError', 'PaymentsStateConflictError')}`,
  createPaymentNote: `... on CreatePaymentNoteSuccess { replayed payment { id } }
    ${failures('PaymentsInvalidInputError', 'PaymentsIdempotencyConflictError')}`,
  cancelPayin: `... on CancelPayinSuccess { replayed payment { ${PAYMENT_FIELDS} } }
    ${commandFailures('PaymentsInvalidInputError', 'PaymentsStateConflictError')}`,
  createPayout: `${PAYOUT} ${commandFailures('PaymentsInvalidInputError', 'PaymentsMethodUnavailableError')}`,
  createPayoutFromFile: `${PAYOUT} ${commandFailures('PaymentsInvalidInputError', 'PaymentsMethodUnavailableError')}`,
  cancelScheduledPayout: `${PAYOUT} ${commandFailures('PaymentsInvalidInputError', 'PaymentsStateConflictError')}`,
  createGatewayPayment: `... on CreateGatewayPaymentSuccess { replayed paymentId reference redirectUrl }
    ${commandFailures('PaymentsInvalidInputError')}`,
  createPaymentCustomer: `${CUSTOMER} ${commandFailures('PaymentsInvalidInputError')}`,
  updatePaymentCustomer: `${CUSTOMER} ${commandFailures('PaymentsInvalidInputError')}`,
  createPaymentContact: `... on PaymentContactSuccess { replayed contact { ${CONTACT_FIELDS} } } ${commandFailures('PaymentsInvalidInputError')}`,
  requestIdentityCheck: `... on PaymentIdentityUpload { uploadUrl expiresAt contact { identityStatus } }
    ${callFailures('PaymentsInvalidInputError')}`,
  createPaymentsExport: `... on PaymentsExport { url expiresAt payersMasked } ${failures('PaymentsInvalidInputError')}`,
  simulatePayin: `${ACCEPTED} ${callFailures('PaymentsInvalidInputError')}`,
  simulateDeposit: `${ACCEPTED} ${callFailures('PaymentsInvalidInputError')}`,
} as const

export type MutationName = keyof typeof SELECTIONS

export type AgreementNode = {
  readonly id: string
  readonly serviceId: string
  readonly clientTransactionId: string
  readonly status: string
  readonly version: number
  /** As the creation returns it. */
  readonly statusToken?: string
}

export type PaymentNode = {
  readonly refundableAmount: { readonly value: string } | null
  readonly id: string
  readonly status: string
  readonly version: number
  readonly instructions: { readonly raw: Readonly<Record<string, unknown>> } | null
}

export type PayoutNode = {
  readonly id: string
  readonly status: string
  readonly transactions: readonly { readonly id: string }[]
}

/** Result of a mutation, of any member of its union. */
export type Result = {
  readonly __typename: string
  readonly replayed?: boolean
  readonly statusToken?: string
  readonly link?: { readonly id: string; readonly checkoutUrl: string }
  readonly agreement?: AgreementNode
  readonly payment?: PaymentNode
  readonly payout?: PayoutNode
  readonly customer?: { readonly id: string }
  readonly contact?: { readonly id: string; readonly personal: { readonly email: string } | null }
  readonly problems?: readonly { readonly path: readonly string[]; readonly message: string }[]
  readonly [field: string]: unknown
}

/** Returns the document of a mutation with all fields that the tests select. */
export function mutationOf(name: MutationName): string {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`
  return `mutation M($input: ${type}!) { ${name}(input: $input) { ${SELECTIONS[name]} } }`
}

/** Runs one mutation and returns its result, of any member of its union. Throws on other errors. */
export async function mutate(
  network: Pick<Network, 'ask'>,
  name: MutationName,
  input: Readonly<Record<string, unknown>>,
  options: AskOptions = {},
): Promise<Result> {
  const { data, errors } = await network.ask<Record<string, Result> | null>(mutationOf(name), { input }, options)
  const result = data?.[name]
  if (errors !== undefined || result === undefined) throw new Error(`${name} failed: ${JSON.stringify(errors)}`)
  return result
}

/** Returns the object that a mutation created. Throws if there is none. */
export async function made<Part extends 'agreement' | 'payment' | 'payout' | 'customer'>(
  result: Promise<Result>,
  part: Part,
): Promise<NonNullable<Result[Part]>> {
  const answer = await result
  const thing = answer[part]
  if (thing === undefined) throw new Error(`There is no ${part}: ${JSON.stringify(answer)}`)
  return thing
}

/** Returns the number of requests to the payments API by method and path; the path follows `/api` and may end with `*`. */
export function asked({ sandbox }: Pick<Network, 'sandbox'>, method: string, path: string): number {
  const whole = `/api${path}`
  const matches = (candidate: string) =>
    whole.endsWith('*') ? candidate.startsWith(whole.slice(0, -1)) : candidate === whole
  return sandbox.control.calls().filter((call) => call.method === method && matches(call.path)).length
}
