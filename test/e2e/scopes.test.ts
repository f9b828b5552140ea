import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ALL_SCOPES, type Scope } from '../../src/access/caller.ts'
import { GUARDED } from '../rights/rules.ts'
import { AGREEMENT_UPDATES, createAgreement, NO_ANSWER } from '../support/agreements.ts'
import { act } from '../support/checkout.ts'
import { GATEWAY_PAYMENT_UPDATES } from '../support/gateway-payments.ts'
import { refusedContact } from '../support/identity.ts'
import { dailyReport } from '../support/imports.ts'
import {
  agreementInput,
  amendmentInput,
  contactInput,
  customerInput,
  gatewayInput,
  identityInput,
  newKey,
  payeeInput,
  payinInput,
  payoutInput,
} from '../support/inputs.ts'
import { made, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, linkInput, type CreatedLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'
import { PAYOUT_UPDATES, payoutFileInput } from '../support/payouts.ts'
import { EVENT_STREAM } from '../support/streams.ts'
import { deliveries } from '../support/webhooks.ts'

let network: Network
let link: CreatedLink
let refunded: CreatedLink
let twice: CreatedLink
let agreementId: string
let payoutId: string
let gatewayPaymentId: string
let deliveryId: string
let customerId: string
let email: string
beforeAll(async () => {
  network = await startNetwork({ sandbox: NO_ANSWER, env: { DAILY_RECONCILIATION: 'on' } })
  // Begun at the start: the import 1.
  await vi.waitUntil(async () => (await dailyReport(network)) !== null, 30_000)
  link = await createLink(network, { ownerId: 'customer-7' })
  await act(link.checkoutUrl, 'decline')
  await network.sandbox.settle()
  refunded = await createLink(network, { reference: 'order-twice' })
  await network.sandbox.control.setStatus(refunded.id, 'received')
  twice = await createLink(network, { reference: 'order-twice' })
  await network.sandbox.control.setStatus(twice.id, 'received')
  const paymentId = (await historyOf(network, refunded.id)).payment?.id
  const refund = { idempotencyKey: newKey(), paymentId, description: 'Changed their mind' }
  await made(mutate(network, 'refundPayment', refund), 'payment')
  deliveryId = (await deliveries(network))[0]?.id ?? ''
  agreementId = (await createAgreement(network)).id
  const payout = mutate(network, 'createPayout', payoutInput({ transactions: [payeeInput()] }))
  payoutId = (await made(payout, 'payout')).id
  customerId = (await made(mutate(network, 'createPaymentCustomer', customerInput()), 'customer')).id
  email = await refusedContact(network)
  gatewayPaymentId = String((await mutate(network, 'createGatewayPayment', gatewayInput()))['paymentId'])
})
afterAll(() => network.close())

/** The mutations whose only argument is `input`, with an input for each. */
const MUTATIONS: readonly (readonly [name: string, input: () => Record<string, unknown>])[] = [
  ['createPayin', payinInput],
  ['createGatewayPayment', gatewayInput],
  ['refundPayment', () => ({ idempotencyKey: newKey(), paymentId: 'nobody', description: 'Changed their mind' })],
  ['createPaymentAgreement', agreementInput],
  ['amendPaymentAgreement', () => amendmentInput('nobody')],
  ['changePaymentAgreementStatus', () => ({ idempotencyKey: newKey(), id: 'nobody', status: 'CANCELLED' })],
  ['createPayout', payoutInput],
  ['createPayoutFromFile', payoutFileInput],
  ['cancelScheduledPayout', () => ({ idempotencyKey: newKey(), id: 'nobody' })],
  ['createPaymentCustomer', customerInput],
  ['updatePaymentCustomer', () => customerInput({ customerId: 'nobody' })],
  ['createPaymentContact', contactInput],
  ['requestIdentityCheck', () => identityInput(email)],
  ['createPaymentsExport', () => ({})],
  ['replayWebhookDelivery', () => ({ deliveryId: 'nobody' })],
  ['dismissDuplicatePayment', () => ({ paymentId: 'nobody' })],
  ['settleGatewayPaymentCreation', () => ({ operationId: 'nobody', outcome: 'NOT_CREATED' })],
  ['importPayments', () => ({ from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', dryRun: true })],
  ['erasePayer', () => ({ by: 'OWNER', value: 'nobody' })],
  ['simulatePayin', () => ({ paymentId: 'nobody', outcome: 'FAILED' })],
  ['simulateDeposit', () => ({ accountNumber: '12345', amount: { value: '10', currency: 'AUD' } })],
]

/** The operation that selects each guarded field, for a caller that may read the link through its status token. */
const QUERIES: Readonly<Record<string, string>> = {
  'PaymentLink.statusToken':
    'query Q($id: ID!, $st: String) { paymentLink(id: $id, statusToken: $st) { statusToken } }',
  'PaymentLink.ownerId': 'query Q($id: ID!, $st: String) { paymentLink(id: $id, statusToken: $st) { ownerId } }',
  'Payment.payer':
    'query Q($id: ID!, $st: String) { paymentLink(id: $id, statusToken: $st) { payment { payer { name email } } } }',
  'PaymentFailure.codeRaw':
    'query Q($id: ID!, $st: String) { paymentLink(id: $id, statusToken: $st) { payment { failure { codeRaw } } } }',
  'Payment.duplicate':
    'query Q($twice: ID!, $tst: String) { paymentLink(id: $twice, statusToken: $tst) { payment { duplicate { reason } } } }',
  'Refund.idempotencyKey':
    'query Q($refunded: ID!, $rst: String) { paymentLink(id: $refunded, statusToken: $rst) { payment { refunds { idempotencyKey } } } }',
  'Refund.reason':
    'query Q($refunded: ID!, $rst: String) { paymentLink(id: $refunded, statusToken: $rst) { payment { refunds { reason } } } }',
  'PaymentFailure.upstreamMessage':
    'query Q($id: ID!, $st: String) { paymentLink(id: $id, statusToken: $st) { payment { failure { upstreamMessage } } } }',
  'PaymentAgreement.payer': 'query Q($agreement: ID!) { paymentAgreement(id: $agreement) { payer { name } } }',
  'PayoutTransaction.payee': 'query Q($payout: ID!) { payout(id: $payout) { transactions { payee } } }',
  'Query.paymentLinks': '{ paymentLinks { nodes { id } } }',
  'Query.payments': '{ payments { nodes { id } } }',
  'Query.paymentSearch': '{ paymentSearch(text: "order") { hasMore } }',
  'Query.paymentEvents': '{ paymentEvents { nodes { id } } }',
  'Query.webhookDeliveries': '{ webhookDeliveries { nodes { id } } }',
  'Query.payerErasures': '{ payerErasures { nodes { id } } }',
  'Query.paymentImports': '{ paymentImports { nodes { id } } }',
  'Query.paymentImport': '{ paymentImport(id: "1") { id } }',
  'Query.reconciliationReport': '{ reconciliationReport { id } }',
  'Query.signingKeys': '{ signingKeys { keyId } }',
  'Query.paymentsHealth': '{ paymentsHealth { serverTime } }',
  'Query.webhookDelivery': 'query Q($delivery: ID!) { webhookDelivery(id: $delivery) { id } }',
  'WebhookDelivery.body': 'query Q($delivery: ID!) { webhookDelivery(id: $delivery) { body } }',
  'Query.paymentAgreement': 'query Q($agreement: ID!) { paymentAgreement(id: $agreement) { id } }',
  'Query.paymentAgreements': '{ paymentAgreements { nodes { id } } }',
  'Query.payoutMethods': '{ payoutMethods(currencies: ["AUD"]) { nodes { code } } }',
  'Query.payoutMethod': '{ payoutMethod(code: "au_bank_aud") { code } }',
  'Query.bankLookup': '{ bankLookup(qrContent: "no payload") { __typename } }',
  'Query.payout': 'query Q($payout: ID!) { payout(id: $payout) { id } }',
  'Query.gatewayPayment': 'query Q($gateway: ID!) { gatewayPayment(id: $gateway) { id } }',
  'Query.gatewayPayments': '{ gatewayPayments { nodes { id } } }',
  'Query.unansweredGatewayPayments': '{ unansweredGatewayPayments { operationId } }',
  'Query.recordedPayouts': '{ recordedPayouts { nodes { id } } }',
  'Query.payouts': '{ payouts(from: "2026-01-01", to: "2026-01-02", currency: "AUD") { nodes { id } } }',
  'Query.paymentCustomer': 'query Q($customer: ID!) { paymentCustomer(id: $customer) { id } }',
  'Query.paymentCustomers':
    '{ paymentCustomers(from: "2026-01-01", to: "2026-01-02", currency: "AUD") { nodes { id } } }',
  'Query.paymentContact': 'query Q($email: String!) { paymentContact(email: $email, currency: "AUD") { emailMasked } }',
  'Query.paymentContacts':
    '{ paymentContacts(from: "2026-01-01", to: "2026-01-02", currency: "AUD") { nodes { site } } }',
  'PaymentCustomer.personal': 'query Q($customer: ID!) { paymentCustomer(id: $customer) { personal { email } } }',
  'PaymentCustomer.document': 'query Q($customer: ID!) { paymentCustomer(id: $customer) { document { typeRaw } } }',
  'PaymentContact.personal':
    'query Q($email: String!) { paymentContact(email: $email, currency: "AUD") { personal { email } } }',
  'PaymentContact.document':
    'query Q($email: String!) { paymentContact(email: $email, currency: "AUD") { document { typeRaw } } }',
  'IdentityResult.message':
    'query Q($email: String!) { paymentContact(email: $email, currency: "AUD") { identityResults { message } } }',
  'Query.balances': '{ balances(currencies: ["AUD"]) { currency } }',
  'Query.accountBalances': '{ accountBalances(currencies: ["AUD"]) { nodes { currency } } }',
  'Query.balanceHistory': '{ balanceHistory(from: "2026-01-01", to: "2026-01-02") { nodes { id } } }',
  'Mutation.createPaymentLink':
    'mutation M($input: CreatePaymentLinkInput!) { createPaymentLink(input: $input) { ... on CreatePaymentLinkSuccess { replayed } } }',
  'Mutation.refreshPayment':
    'mutation M($id: ID!) { refreshPayment(id: $id) { ... on RefreshPaymentSuccess { changed } } }',
  ...Object.fromEntries(MUTATIONS.map(([name]) => [`Mutation.${name}`, mutation(name)])),
  'Subscription.paymentEventStream': EVENT_STREAM,
  'Subscription.paymentAgreementUpdates': AGREEMENT_UPDATES,
  'Subscription.payoutUpdates': PAYOUT_UPDATES,
  'Subscription.gatewayPaymentUpdates': GATEWAY_PAYMENT_UPDATES,
}

/** Scopes that are needed on the way to a field, besides those of the field itself. */
const ON_THE_WAY: Readonly<Record<string, readonly Scope[]>> = {
  'PaymentAgreement.payer': ['agreements:read'],
  'PayoutTransaction.payee': ['payouts:read'],
  'PaymentCustomer.personal': ['customers:read'],
  'PaymentCustomer.document': ['customers:read'],
  'PaymentContact.personal': ['customers:read'],
  'PaymentContact.document': ['customers:read'],
  'IdentityResult.message': ['customers:read'],
  'WebhookDelivery.body': ['payments:read'],
}

describe('the fields that ask for scopes', () => {
  it('are all tried here', () => {
    expect([...GUARDED.keys()].toSorted()).toEqual(Object.keys(QUERIES).toSorted())
  })
})

describe.each(Object.entries(QUERIES).filter(([name]) => !name.startsWith('Subscription.')))('%s', (name, query) => {
  const inputOf = MUTATIONS.find(([mutated]) => `Mutation.${mutated}` === name)?.[1] ?? linkInput
  const ask = async (token: string | null) => {
    const subjects = {
      id: link.id,
      st: link.statusToken,
      refunded: refunded.id,
      rst: refunded.statusToken,
      twice: twice.id,
      tst: twice.statusToken,
      agreement: agreementId,
      payout: payoutId,
      customer: customerId,
      email,
      gateway: gatewayPaymentId,
      delivery: deliveryId,
    }
    return network.ask(query, { ...subjects, input: inputOf() }, { token })
  }

  it('is refused to anonymous as UNAUTHENTICATED', async () => {
    const answer = await ask(null)
    expect(answer.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
    expect(valueAt(answer)).toBeNull()
  })

  it('is refused as FORBIDDEN to a caller who has every scope but the one that it needs', async () => {
    for (const scopes of insufficient(GUARDED.get(name) ?? [])) {
      const answer = await ask(await network.token({ scopes, subject: 'stranger' }))
      expect(answer.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
      expect(valueAt(answer)).toBeNull()
    }
  })

  it('is given to a caller who has that scope and no other that it does not need', async () => {
    for (const scopes of GUARDED.get(name) ?? []) {
      const enough = [...scopes, ...(ON_THE_WAY[name] ?? [])]
      const answer = await ask(await network.token({ scopes: enough, subject: 'stranger' }))
      expect(answer.errors).toBeUndefined()
      expect(valueAt(answer)).not.toBeNull()
    }
  })
})

describe.each(Object.entries(QUERIES).filter(([name]) => name.startsWith('Subscription.')))('%s', (name, query) => {
  const follow = async (token: string | null) => {
    const stream = await network.follow(query, name.endsWith('Stream') ? {} : followed(name), { token })
    const first = await stream.next().catch((error: { errors: unknown }) => error.errors)
    await stream.end()
    return first
  }

  it('is refused and given like any other field', async () => {
    const lists = GUARDED.get(name) ?? []
    expect(await follow(null)).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
    for (const scopes of insufficient(lists))
      expect(await follow(await network.token({ scopes }))).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
    for (const scopes of lists)
      expect(await follow(await network.token({ scopes }))).toMatchObject({
        kind: name.endsWith('Stream') ? 'CAUGHT_UP' : 'SNAPSHOT',
      })
  })
})

function followed(name: string): Record<string, string> {
  if (name.includes('Contact')) return { email, currency: 'AUD' }
  if (name.includes('gateway')) return { id: gatewayPaymentId }
  return { id: name.includes('payout') ? payoutId : agreementId }
}

function mutation(name: string): string {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`
  return `mutation M($input: ${type}!) { ${name}(input: $input) { __typename } }`
}

/** Returns two sets of scopes that satisfy none of these lists: all scopes without the first one of each list, and none. */
function insufficient(lists: readonly (readonly Scope[])[]): Scope[][] {
  const missing = new Set(lists.map(([first]) => first))
  return [ALL_SCOPES.filter((scope) => !missing.has(scope)), []]
}

/** Returns the innermost value of an answer that has one field at each level; for a list, that of its first item. */
function valueAt({ data }: { data: unknown }): unknown {
  let value = data
  while (value !== null && typeof value === 'object') {
    const [first] = Object.values(value)
    if (first === undefined) return value
    value = first
  }
  return value
}
