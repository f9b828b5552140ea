import type { Scope } from '../../src/access/caller.ts'
import { nodeIdOf, type NodeType } from '../../src/graphql/arguments/arguments.ts'
import { qrImage } from '../support/inputs.ts'
import type { Fixture } from './fixture.ts'
import type { RootField } from './selection.ts'

/** A query, mutation or subscription of one root field. */
export type Ask = RootField & {
  /** The status token of the requested object, if it has one. */
  readonly statusToken?: string
  /** Whether the requested object belongs to the owner. */
  readonly owned?: boolean
  /** The scope that an entity needs, if it differs from that of its type. */
  readonly needs?: Scope
}

/** Deep enough for everything that is reachable from one object. */
const DEEP = 7
/** Lists are read down to the fields of their items: a deeper selection would exceed the cost limit. */
const LIST = 3

const day = (fromNow: number) => new Date(Date.now() + fromNow * 24 * 3_600_000).toISOString().slice(0, 10)

/** Returns every root field of queries, with arguments for which there is data. */
export function queries({ ids, links, payins, laterImport, laterReplay, vietQr }: Fixture): Ask[] {
  const agreementToken = { statusToken: ids.agreementToken }
  const owned = links.map(({ id }) => id)
  const paid = links.flatMap(({ paymentId }) => paymentId ?? [])
  return [
    query('paymentCurrencies', {}),
    { ...query('payinMethods', { currencies: ['AUD', 'XAF'] }), depth: 2 },
    query('payinMethod', { code: 'au_card_aud' }),
    query('payinMethod', { code: 'jp_bank_jpy' }),
    query('payinMethod', { code: 'mw_mobile_money_mwk' }),
    ...links.map(({ id, statusToken }) => ({ ...query('paymentLink', { id }), statusToken })),
    ...links.flatMap(({ paymentId, statusToken }) =>
      paymentId === null ? [] : [{ ...query('payment', { id: paymentId }), statusToken }],
    ),
    ...payins.map(({ id, statusToken }) => ({ ...query('payment', { id }), statusToken })),
    list('paymentLinks', { first: 5, filter: { ids: owned } }),
    list('payments', { first: 5, filter: { ids: paid } }),
    list('paymentSearch', { text: 'order', first: 5 }),
    ...links.map(({ id }) => list('paymentSearch', { text: id, first: 5 })),
    list('paymentEvents', { first: 5 }),
    list('paymentEvents', { last: 5 }),
    list('paymentEvents', { first: 5, filter: { agreementIds: [ids.agreement] } }),
    list('paymentEvents', { first: 5, filter: { payoutIds: [...ids.payouts] } }),
    list('paymentEvents', { first: 5, filter: { gatewayPaymentIds: [ids.gatewayPayment] } }),
    list('webhookDeliveries', { first: 5 }),
    list('payerErasures', { first: 5 }),
    query('erasablePayers', { of: { by: 'PAYMENT', value: paid[0] ?? '' } }),
    { ...list('paymentImports', { first: 5, after: laterImport }), depth: 2 },
    query('paymentImport', { id: ids.import }),
    query('reconciliationReport', {}),
    { ...list('webhookReplays', { first: 5, after: laterReplay }), depth: 2 },
    { ...query('webhookReplay', { id: ids.replay }), depth: 2 },
    ...Object.values(ids.deliveries).map((id) => query('webhookDelivery', { id })),
    { ...query('paymentAgreement', { id: ids.agreement }), ...agreementToken },
    { ...query('paymentAgreement', { clientTransactionId: ids.clientTransaction }), ...agreementToken },
    list('paymentAgreements', { first: 5, filter: { ids: [ids.agreement] } }),
    { ...query('payoutMethods', { currencies: ['AUD', 'XAF'] }), depth: 1 },
    query('payoutMethod', { code: 'vn_bank_vnd' }),
    query('payoutMethod', { code: 'ph_ewallet_gcash_php' }),
    query('bankLookup', { qrContent: vietQr }),
    query('bankLookup', { qrContent: 'no payload' }),
    query('bankLookupByImage', { image: qrImage(vietQr) }),
    ...ids.payouts.map((id) => query('payout', { id })),
    { ...list('recordedPayouts', { first: 5 }), depth: 2 },
    query('gatewayPayment', { id: ids.gatewayPayment }),
    { ...list('gatewayPayments', { first: 5 }), depth: 2 },
    { ...list('unansweredGatewayPayments', { first: 5 }), depth: 2 },
    { ...list('payouts', { from: day(-1), to: day(1), currency: 'AUD' }), depth: 2 },
    query('paymentCustomer', { id: ids.customer, site: 'aud' }),
    { ...list('paymentCustomers', { from: day(-1), to: day(1), currency: 'AUD' }), depth: 2 },
    query('paymentContact', { email: ids.contact, currency: 'AUD' }),
    { ...list('paymentContacts', { from: day(-1), to: day(1), currency: 'AUD' }), depth: 2 },
    query('accountBalances', { currencies: ['AUD', 'XAF'] }),
    query('balanceHistory', { from: day(-1), to: day(1) }),
    query('paymentsHealth', {}),
    query('signingKeys', {}),
    query('paymentStatistics', {
      interval: 'DAY',
      by: ['CURRENCY', 'SITE', 'METHOD_KIND', 'PHASE', 'STATUS', 'FAILURE_CATEGORY'],
    }),
    { ...entity('PaymentCurrency', { code: 'AUD' }), depth: 0 },
    query('_service', {}),
    ...nodes({ ids, links }),
  ]
}

/** Returns a read by nodeId of every type of node. */
function nodes({ ids, links }: Pick<Fixture, 'ids' | 'links'>): Ask[] {
  const [paid, , , , refunded] = links
  const { statusToken = '' } = paid ?? {}
  return [
    { ...node('PaymentLink', paid?.id), statusToken },
    { ...node('Payment', paid?.paymentId), statusToken },
    { ...node('PaymentRefund', `${refunded?.paymentId}-1`), statusToken: refunded?.statusToken ?? '' },
    node('PayinMethod', 'au_card_aud'),
    node('PayoutMethod', 'vn_bank_vnd'),
    node('PaymentCustomer', ids.customer),
    node('PaymentContact', ids.contactId),
    node('PayoutTransaction', `${ids.payouts[0]}/${ids.payoutTransaction}`),
    { ...node('PaymentAgreement', ids.agreement), statusToken: ids.agreementToken },
    node('PaymentPayout', ids.payouts[0]),
    node('GatewayPayment', ids.gatewayPayment),
    node('PaymentWebhookDelivery', ids.deliveries.applied),
    node('PaymentImport', ids.import),
  ]
}

function node(member: NodeType, id: string | null | undefined): Ask {
  return { coordinate: 'Query.paymentsNode', variables: { nodeId: nodeIdOf(member, id ?? '') }, depth: 2, member }
}

/** Returns every type of entity, as a gateway requests it. */
export function entities({ ids, links, payins, eventIds }: Fixture): Ask[] {
  const [paid, , , , refunded] = links
  const [payin] = payins
  return [
    entity('PaymentCurrency', { code: 'AUD' }),
    entity('PayinMethod', { code: 'au_card_aud' }),
    entity('PayoutMethod', { code: 'vn_bank_vnd' }),
    { ...entity('PaymentLink', { id: paid?.id }), owned: true },
    { ...entity('Payment', { id: paid?.paymentId }), owned: true },
    { ...entity('Payment', { id: payin?.id }), owned: true },
    { ...entity('PaymentEvent', { id: eventIds.ofLink }), owned: true },
    { ...entity('PaymentEvent', { id: eventIds.ofAgreement }), needs: 'agreements:read', owned: true },
    { ...entity('PaymentEvent', { id: eventIds.ofPayout }), needs: 'payouts:read' },
    { ...entity('PaymentEvent', { id: eventIds.ofGatewayPayment }), needs: 'payments:read' },
    { ...entity('PaymentRefund', { id: `${refunded?.paymentId}-1` }), owned: true },
    entity('PaymentCustomer', { id: ids.customer }),
    entity('PaymentContact', { id: ids.contactId }),
    entity('PayoutTransaction', { id: ids.payoutTransaction, payoutId: ids.payouts[0] }),
    entity('GatewayPayment', { id: ids.gatewayPayment }),
    { ...entity('PaymentAgreement', { id: ids.agreement }), owned: true },
    { ...entity('PaymentAgreement', { clientTransactionId: ids.clientTransaction }), owned: true },
    ...ids.payouts.map((id) => entity('PaymentPayout', { id })),
  ]
}

/** Returns every mutation with a valid input, and with inputs that end in each expected failure. */
export function mutations({ inputs }: Fixture): Ask[] {
  return inputs.map(([name, argument]) => ({ coordinate: `Mutation.${name}`, variables: argument, depth: LIST }))
}

/** Returns every stream: from its snapshot on, replayed after a cursor, and with an invalid cursor. */
export function streams(fixture: Fixture): Ask[] {
  const starts = liveStreams(fixture)
  const replays = Object.values(fixture.cursors).flatMap((after) =>
    starts.map((start) => ({ ...start, variables: { ...start.variables, after } })),
  )
  return [...starts, ...replays]
}

/** Returns every stream from its snapshot on. */
export function liveStreams({ ids, links }: Fixture): Ask[] {
  const [paid] = links
  return [
    { ...stream('paymentLinkUpdates', { id: paid?.id }), statusToken: paid?.statusToken ?? '' },
    { ...stream('paymentUpdates', { id: paid?.paymentId }), statusToken: paid?.statusToken ?? '' },
    { ...stream('paymentAgreementUpdates', { id: ids.agreement }), statusToken: ids.agreementToken },
    stream('payoutUpdates', { id: ids.payouts[0] }),
    stream('gatewayPaymentUpdates', { id: ids.gatewayPayment }),
    stream('paymentEventStream', {}),
  ]
}

function query(name: string, variables: Record<string, unknown>): Ask {
  return { coordinate: `Query.${name}`, variables, depth: DEEP }
}

function list(name: string, variables: Record<string, unknown>): Ask {
  return { coordinate: `Query.${name}`, variables, depth: LIST }
}

function stream(name: string, variables: Record<string, unknown>): Ask {
  return { coordinate: `Subscription.${name}`, variables, depth: DEEP }
}

function entity(typeName: string, key: Record<string, unknown>): Ask {
  const variables = { representations: [{ __typename: typeName, ...key }] }
  return { coordinate: 'Query._entities', variables, depth: 2, member: typeName }
}
