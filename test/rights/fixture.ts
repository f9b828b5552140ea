import { vi } from 'vitest'
import { DEFAULT_SITES } from '../../packages/sandbox/src/state/sandbox-store.ts'
import { createAgreement } from '../support/agreements.ts'
import { pay } from '../support/checkout.ts'
import { COMMANDS } from '../support/commands.ts'
import { misaddressedDelivery, settle } from '../support/deliveries.ts'
import { erase } from '../support/erasures.ts'
import { setGatewayStatus } from '../support/gateway-payments.ts'
import { refusedContact } from '../support/identity.ts'
import { importOf, importsOf, lastHour, tryToImport } from '../support/imports.ts'
import {
  agreementInput,
  ALIAS,
  customerInput,
  gatewayInput,
  identityInput,
  payeeInput,
  payoutInput,
  personInput,
} from '../support/inputs.ts'
import { made, mutate, type MutationName } from '../support/mutations.ts'
import { startNetwork, type Network, type NetworkOptions } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { BY_HAND, createPayin } from '../support/payins.ts'
import { v1PayoutInput } from '../support/payouts.ts'
import { refund } from '../support/refunds.ts'
import { settleCreation, unansweredCreation } from '../support/unanswered.ts'
import { defaultAddress, deliver, deliveries, paymentBody, send } from '../support/webhooks.ts'
import { OWNER, ROUTER_SECRET } from './callers.ts'
import { failingInputs } from './failing-inputs.ts'
import { notedPayment } from './noted-payment.ts'

type Subject = { readonly id: string; readonly statusToken: string }

/** One of every kind of object that the graph can show, all with the same owner. */
export type Fixture = {
  readonly network: Network
  readonly links: readonly (Subject & { readonly paymentId: string | null; readonly checkoutUrl: string })[]
  readonly payins: readonly Subject[]
  readonly ids: {
    readonly agreement: string
    /** The agreement's number in the payments API. */
    readonly agreementAtService: string
    readonly clientTransaction: string
    readonly agreementToken: string
    readonly payouts: readonly string[]
    readonly customer: string
    /** The e-mail address of a contact. */
    readonly contact: string
    readonly contactId: string
    /** A transaction of the first payout. */
    readonly payoutTransaction: string
    readonly gatewayPayment: string
    /** An import that is done. */
    readonly import: string
    /** A replay of deliveries that is done. */
    readonly replay: string
    readonly deliveries: Readonly<Record<'applied' | 'quarantined' | 'stale' | 'ofAgreement', string>>
  }
  readonly eventIds: Readonly<Record<'ofLink' | 'ofAgreement' | 'ofPayout' | 'ofGatewayPayment', string>>
  /** Cursors before the last event of a link and of the agreement, and an invalid one. */
  readonly cursors: Readonly<Record<'ofLink' | 'ofAgreement' | 'forged', string>>
  /** Cursor of a replay that is later than the one that is done. */
  readonly laterReplay: string
  /** Cursor of an import that is later than the one that is done: what follows it does not change. */
  readonly laterImport: string
  readonly vietQr: string
  /** Repeatable inputs of mutations, by the field's name. */
  readonly inputs: readonly (readonly [name: string, variables: Readonly<Record<string, unknown>>])[]
}

/** A person of whom everything is known. */
const WHOLE_PERSON = personInput({ middleName: 'King', street2: 'Floor 2', registrationNumber: '10242424' })

/** Milliseconds between two steps of a payment: longer than a run on a busy machine, so that only `advance` makes one. */
export const PACE_MS = 1_200_000

/** A currency for which the payments API rejects the credentials. */
const REFUSED = 'XAF'

/** Starts an app with a router's secret. The payments API rejects the credentials of one of its sites. */
export async function startWorld(options: Pick<NetworkOptions, 'clock'> = {}): Promise<Fixture> {
  const sites = DEFAULT_SITES.map(({ secretKey, ...site }) =>
    Object.assign(site, {
      secretKey: site.currencies.includes(REFUSED) ? 'not-the-one-of-the-service' : secretKey,
      v1Payouts: site.currencies.includes('AUD'),
    }),
  )
  const network = await startNetwork({
    ...options,
    sandbox: { ...BY_HAND, paceMs: PACE_MS },
    env: {
      ROUTER_SECRETS: ROUTER_SECRET,
      CARD_TOKENS: 'keep',
      UPSTREAM_SITES: JSON.stringify(sites),
      // Every caller sends every operation over one socket, as fast as it is answered.
      SOCKET_LIMITS: 'operationsPerSecond=1000,messagesPerSecond=2000',
      // What is measured here is who may do what, however long it takes.
      GRAPHQL_LIMITS: 'timeoutMs=60000',
    },
  })
  try {
    return await furnished(network)
  } catch (error) {
    await network.close()
    throw error
  }
}

async function furnished(network: Network): Promise<Fixture> {
  // Refused: it has no signature.
  await send(defaultAddress(network))
  const payouts = await madePayouts(network)
  const started = await mutate(network, 'createGatewayPayment', gatewayInput())
  const gatewayPayment = String(started['paymentId'])
  const links = await madeLinks(network)
  // Of the one that was refunded in part before, so that its refund has a reason.
  await refund(network, links[4]?.paymentId ?? '', { amount: { value: '1.00', currency: 'AUD' } })
  const payins = [await createPayin(network, { ownerId: OWNER })].map(({ id, statusToken = '' }) => ({
    id,
    statusToken,
  }))
  const payId = { value: ALIAS, type: 'EMAIL' }
  const both = { ...(agreementInput()['payer'] as object), payId }
  const agreement = await createAgreement(network, {
    payer: both,
    reference: 'contract-1815',
    ownerId: OWNER,
  })
  await network.sandbox.control.setAgreementStatus(agreement.serviceId, 'active')
  await settle(network)
  const applied = (await deliveries(network)).find(({ subjectId }) => subjectId === links[0]?.paymentId)?.id ?? ''
  const ofAgreement = (await deliveries(network, [agreement.id]))[0]?.id ?? ''
  const quarantined = await misaddressedDelivery(network, links[0]?.paymentId ?? '')
  const stale = await staleDelivery(network, links[0]?.id ?? '')
  // Stays doubtful: the payments API does not know this payment, so no read can confirm its webhook.
  await deliver(defaultAddress(network), paymentBody({ status: 'a status of tomorrow' }))
  await settle(network)
  await erase(network, 'OWNER', 'nobody')
  const imported = await compared(network)
  const replayed = await replayedDry(network)
  const [account] = network.sandbox.control.bankAccounts()
  const contact = await refusedContact(network, PACE_MS / 1000)
  const kept = { applied, quarantined, stale, ofAgreement }
  return {
    network,
    links,
    payins,
    ids: {
      agreement: agreement.id,
      agreementAtService: agreement.serviceId,
      clientTransaction: agreement.clientTransactionId,
      agreementToken: agreement.statusToken ?? '',
      payouts,
      customer: (
        await made(mutate(network, 'createPaymentCustomer', customerInput({ person: WHOLE_PERSON })), 'customer')
      ).id,
      contact,
      ...(await partIds(network, contact, payouts[0] ?? '')),
      import: imported.id,
      replay: replayed.id,
      gatewayPayment,
      deliveries: kept,
    },
    eventIds: {
      ofLink: await eventOf(network, applied),
      ofAgreement: await eventOf(network, ofAgreement),
      ofPayout: `payout:${payouts[0]}.1`,
      ofGatewayPayment: `gateway:${gatewayPayment}.1`,
    },
    cursors: {
      ofLink: await cursorBeforeLast(network, { linkIds: [links[0]?.id] }),
      ofAgreement: await cursorBeforeLast(network, { agreementIds: [agreement.id] }),
      forged: 'nothing',
    },
    laterImport: imported.later,
    laterReplay: replayed.later,
    vietQr: account?.qrContent ?? '',
    inputs: [
      ['cancelPaymentImport', { input: { importId: imported.id } }],
      ['cancelWebhookReplay', { input: { replayId: replayed.id } }],
      ...(await carriedOut(network, { stale, link: links[0]?.id ?? '', contact })),
      ...(await failingInputs(network, { applied, unpaid: payins[0]?.id ?? '' })),
    ],
  }
}

/** Returns the ids of a contact and of the first transaction of a payout, as the graph shows them. */
async function partIds(network: Network, email: string, payout: string) {
  const { data } = await network.ask<{
    paymentContact: { id: string }
    payout: { transactions: { id: string }[] }
  }>(
    'query P($email: String!, $payout: ID!) { paymentContact(email: $email, currency: "AUD") { id } payout(id: $payout) { transactions { id } } }',
    { email, payout },
  )
  return { contactId: data.paymentContact.id, payoutTransaction: data.payout.transactions[0]?.id ?? '' }
}

/** Creates four links: paid, failed with a risk code, failed but retryable on the next day, and unpaid. */
async function madeLinks(network: Network): Promise<Fixture['links'][number][]> {
  const customer = (lastName: string) => ({ email: 'ada@example.test', firstName: 'Ada', lastName })
  const all: Fixture['links'][number][] = []
  const setAll = async (id: string, statuses: readonly Parameters<typeof network.sandbox.control.setStatus>[1][]) => {
    for (const status of statuses) await network.sandbox.control.setStatus(id, status)
  }
  for (const lastName of ['Payer', 'card_stolen', 'card_decline_rate_limit_exceeded', 'nobody', 'refunded']) {
    const link = await createLink(network, {
      // The second paid one is a duplicate.
      reference: 'order-1815',
      ownerId: OWNER,
      customer: customer(lastName),
      expiresInSeconds: 7 * 24 * 3_600,
    })
    if (lastName === 'Payer') await setAll(link.id, ['received', 'in_dispute', 'received'])
    else if (lastName === 'refunded') await setAll(link.id, ['authorised', 'partially_refunded'])
    else if (lastName !== 'nobody') await pay(link.checkoutUrl)
    await settle(network)
    const known = network.sandbox.control.state().links.find(({ uuid }) => uuid === link.id)
    all.push({ ...link, paymentId: known?.paymentUuid ?? null })
  }
  return all
}

/** Creates four payouts: scheduled, without funds, with a failed transaction, and by v1 to an account and a PayID. */
async function madePayouts(network: Network): Promise<string[]> {
  const scheduledAt = new Date(Date.now() + 24 * 3_600_000).toISOString()
  const ids: string[] = []
  for (const over of [
    { scheduledAt },
    { transactions: [payeeInput({ amount: '777.01' })] },
    { transactions: [payeeInput({ amount: '777.03' })] },
    v1PayoutInput(),
  ])
    ids.push((await made(mutate(network, 'createPayout', payoutInput(over)), 'payout')).id)
  await network.sandbox.control.advance((2 * PACE_MS) / 1000)
  await settle(network)
  return ids
}

/** Sends a late webhook with an earlier status. Returns the id of its stale delivery. */
async function staleDelivery(network: Network, linkId: string): Promise<string> {
  await network.sandbox.control.deliver(linkId, { kind: 'late', status: 'authorised' })
  await settle(network)
  return (await deliveries(network)).find(({ disposition }) => disposition === 'STALE')?.id ?? ''
}

async function eventOf(network: Network, deliveryId: string): Promise<string> {
  return (await deliveries(network)).find(({ id }) => id === deliveryId)?.event?.id ?? ''
}

async function cursorBeforeLast(network: Network, filter: Record<string, unknown>): Promise<string> {
  const { data } = await network.ask<{ paymentEvents: { edges: { cursor: string }[] } }>(
    'query Cursors($filter: PaymentEventFilter) { paymentEvents(first: 100, filter: $filter) { edges { cursor } } }',
    { filter },
  )
  return data.paymentEvents.edges.at(-2)?.cursor ?? ''
}

/** Compares the lists of two sites, of which one is refused. Returns the import, which is done, and the cursor of a later one. */
async function compared(network: Network): Promise<{ readonly id: string; readonly later: string }> {
  const id = await importOfSites(network, ['aud', REFUSED.toLowerCase()])
  await importOfSites(network, ['aud'])
  return { id, later: (await importsOf(network, { first: 1 })).pageInfo.endCursor ?? '' }
}

/** Plans the replay of all deliveries. Returns the plan, which is done, and the cursor of a later one. */
async function replayedDry(network: Network): Promise<{ readonly id: string; readonly later: string }> {
  const begin = `mutation B($filter: PaymentWebhookDeliveryFilter!) { replayWebhookDeliveries(input: { filter: $filter }) {
    ... on ReplayWebhookDeliveriesSuccess { replay { id } } } }`
  for (const filter of [{}, { dispositions: [] }]) await network.ask(begin, { filter })
  const list = '{ webhookReplays(first: 2) { nodes { id state } edges { cursor } } }'
  type Page = { readonly nodes: { id: string; state: string }[]; readonly edges: { cursor: string }[] }
  const read = async () => (await network.ask<{ webhookReplays: Page }>(list)).data.webhookReplays
  await vi.waitUntil(async () => (await read()).nodes.every(({ state }) => state === 'DONE'), 30_000)
  const { nodes, edges } = await read()
  return { id: nodes[1]?.id ?? '', later: edges[0]?.cursor ?? '' }
}

async function importOfSites(network: Network, sites: readonly string[]): Promise<string> {
  const begun = (await tryToImport(network, { ...lastHour(), dryRun: true, sites })).import?.id ?? ''
  await vi.waitUntil(async () => (await importOf(network, begun))?.state === 'DONE', 30_000)
  return begun
}

/** Dismisses the duplicate that the commands have made. Returns its payment's id. */
async function dismissed(network: Network): Promise<string> {
  const { data } = await network.ask<{ payments: { nodes: { id: string }[] } }>(
    '{ payments(filter: { duplicate: true }) { nodes { id } } }',
  )
  const paymentId = data.payments.nodes[0]?.id ?? ''
  const dismiss =
    'mutation D($input: DismissDuplicatePaymentInput!) { dismissDuplicatePayment(input: $input) { __typename } }'
  await network.ask(dismiss, { input: { paymentId } })
  return paymentId
}

/** Settles two creations without an answer; a third one waits. The callbacks of the second contradict each other. */
async function settledCreations(network: Network): Promise<Fixture['inputs']> {
  await unansweredCreation(network, { arrives: false })
  const lost = await unansweredCreation(network, { arrives: false })
  const { operationId, paymentId } = await unansweredCreation(network, { arrives: true })
  const found = [
    { operationId: lost.operationId, outcome: 'NOT_CREATED' },
    { operationId, outcome: 'CREATED', paymentId },
  ]
  for (const input of found) await settleCreation(network, input)
  for (const status of ['failed', 'pending'] as const) await setGatewayStatus(network, String(paymentId), status)
  return found.map((input) => ['settleGatewayPaymentCreation', { input }])
}

/** Returns each mutation with an input that was executed, and has the same result for every repeat. */
async function carriedOut(
  network: Network,
  { stale, link, contact }: { stale: string; link: string; contact: string },
): Promise<Fixture['inputs']> {
  const commands: [MutationName, Readonly<Record<string, unknown>>][] = []
  for (const { name, prepare } of COMMANDS) commands.push([name, (await prepare(network)).input])
  const token = await network.token({ subject: 'back-office' })
  for (const [name, input] of commands) await mutate(network, name, input, { token })
  await settle(network)
  return [
    ...commands.map(([name, input]) => [name, { input }] as const),
    ['refreshPayment', { id: link }],
    ['requestIdentityCheck', { input: identityInput(contact) }],
    ['createPaymentsExport', { input: { includePayers: true } }],
    ['replayWebhookDelivery', { input: { deliveryId: stale } }],
    ['replayWebhookDeliveries', { input: { filter: { dispositions: [] } } }],
    ['dismissDuplicatePayment', { input: { paymentId: await dismissed(network) } }],
    ...(await notedPayment(network)),
    ...(await settledCreations(network)),
    ['rebuildPaymentStatistics', {}],
    ['erasePayer', { input: { by: 'OWNER', value: 'nobody' } }],
    [
      'importPayments',
      { input: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', sites: ['aud'], dryRun: true } },
    ],
    ['simulateDeposit', { input: { accountNumber: '12345', amount: { value: '10', currency: 'AUD' } } }],
  ]
}
