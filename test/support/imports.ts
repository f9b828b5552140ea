import { randomBytes } from 'node:crypto'
import { DEFAULT_SITES } from 'payments-subgraph-sandbox'
import type { AskOptions, Network } from './network.ts'
import { REFRESH } from './payments.ts'

export type ImportReport = {
  readonly site: string
  readonly list: string
  readonly listed: number
  readonly equal: number
  readonly differed: number
  readonly added: number
  readonly passedOver: number
  readonly failed: number
  readonly absent: number
  readonly differedIds: readonly string[]
  readonly addedIds: readonly string[]
  readonly absentIds: readonly string[]
  readonly failedIds: readonly string[]
  readonly problem: string | null
}

type Sum = { readonly count: number; readonly amount: string; readonly paid: string; readonly refunded: string }

export type ImportTotal = {
  readonly site: string | null
  readonly kind: string
  readonly currency: string
  readonly theirs: Sum
  readonly ours: Sum
  readonly difference: Sum
}

export type ImportNode = {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly dryRun: boolean
  readonly daily: boolean
  readonly state: string
  readonly progress: number
  readonly requestedBy: string | null
  readonly doneAt: string | null
  readonly lists: readonly ImportReport[]
  readonly totals: readonly ImportTotal[]
}

type ImportResult = {
  readonly __typename: string
  readonly import?: ImportNode
  readonly replayed?: boolean
  readonly problems?: readonly { readonly path: readonly string[]; readonly message: string }[]
}

const SUM = 'count amount paid refunded'
const FIELDS = `id from to dryRun daily state progress requestedBy doneAt
  lists { site list listed equal differed added passedOver failed absent differedIds addedIds absentIds failedIds problem }
  totals { site kind currency theirs { ${SUM} } ours { ${SUM} } difference { ${SUM} } }`

const IMPORT = `mutation Import($input: ImportPaymentsInput!) {
  importPayments(input: $input) {
    __typename
    ... on ImportPaymentsSuccess { replayed import { ${FIELDS} } }
    ... on PaymentsInvalidInputError { problems { path message } }
    ... on PaymentsError { code }
  }
}`

type Asking = Pick<Network, 'ask' | 'token'>

/** The last hour: what a test has made, and what it makes while it asks. */
export function lastHour() {
  return { from: new Date(Date.now() - 3_600_000).toISOString(), to: new Date(Date.now() + 60_000).toISOString() }
}

/** Asks for an import, as the operator `reconciler-1`. Returns the result, of any member of its union. */
export async function tryToImport({ ask, token }: Asking, input: Record<string, unknown> = lastHour()) {
  const options = { token: await token({ scopes: ['payments:reconcile'], subject: 'reconciler-1' }) }
  const { data, errors } = await ask<{ importPayments: ImportResult }>(IMPORT, { input }, options)
  if (errors !== undefined) throw new Error(JSON.stringify(errors))
  return data.importPayments
}

/** Returns an import; null if there is none. */
export async function importOf({ ask }: Asking, id: string, options?: AskOptions): Promise<ImportNode | null> {
  const query = `query Import($id: ID!) { paymentImport(id: $id) { ${FIELDS} } }`
  const { data, errors } = await ask<{ paymentImport: ImportNode | null }>(query, { id }, options)
  if (errors !== undefined) throw new Error(JSON.stringify(errors))
  return data.paymentImport
}

/** Asks for imports, newest first. */
export async function importsOf({ ask }: Asking, page: Record<string, unknown> = {}) {
  const query = `query Imports($first: Int, $after: String, $daily: Boolean) {
    paymentImports(first: $first, after: $after, daily: $daily) { nodes { id daily state } pageInfo { hasNextPage endCursor } }
  }`
  type Page = {
    readonly nodes: readonly Pick<ImportNode, 'id' | 'daily' | 'state'>[]
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
  const { data, errors } = await ask<{ paymentImports: Page }>(query, { first: 20, ...page })
  if (errors !== undefined) throw new Error(JSON.stringify(errors))
  return data.paymentImports
}

/** Asks for the daily report of a day, or for the latest one. */
export async function dailyReport({ ask }: Asking, day: string | null = null): Promise<ImportNode | null> {
  const query = `query Daily($day: LocalDate) { reconciliationReport(day: $day) { ${FIELDS} } }`
  return (await ask<{ reconciliationReport: ImportNode | null }>(query, { day })).data.reconciliationReport
}

/** What `expect.poll` returns. */
type Awaited = { toMatchObject(expected: object): Promise<void> }

/** Imports, and waits until it is done. `poll` is that of `expect`. */
export async function importAll(
  network: Asking,
  poll: (read: () => Promise<ImportNode | null>) => Awaited,
  input: Record<string, unknown> = {},
): Promise<ImportNode> {
  const { import: begun, ...rest } = await tryToImport(network, { ...lastHour(), ...input })
  if (begun === undefined) throw new Error(JSON.stringify(rest))
  let last: ImportNode | null = begun
  await poll(async () => (last = await importOf(network, begun.id))).toMatchObject({ state: 'DONE' })
  return last
}

/** Returns the report of a list of a site. */
export function reportOf({ lists }: ImportNode, site: string, list: string): ImportReport {
  const report = lists.find((one) => one.site === site && one.list === list)
  if (report === undefined) throw new Error('The import has no such list.')
  return report
}

/** Two sites of the sandbox, for agreements, links and payins. */
export const TWO_SITES = DEFAULT_SITES.filter(({ id }) => id === 'aud' || id === 'krw')

/** Nothing happens by itself during a test. */
export const AT_REST = { paceMs: 3_600_000, mandateMs: 24 * 3_600_000, sites: TWO_SITES }

const SENDER = { email: 'mary@example.test', first_name: 'Mary', last_name: 'Elsewhere' }

/** Makes a link elsewhere. Returns its uuid. */
export async function linkElsewhere(network: Pick<Network, 'sandbox'>, over: Record<string, unknown> = {}) {
  const body = { amount: 80.25, description: 'A chair', sender_info: SENDER, payin_method_code: 'au_card_aud' }
  return String((await elsewhere(network, '/v3/payin_links', { ...body, ...over }))['uuid'])
}

/** Makes a payin elsewhere. Returns its uuid, which is that of its payment. */
export async function payinElsewhere(network: Pick<Network, 'sandbox'>, over: Record<string, unknown> = {}) {
  const body = {
    currency: 'KRW',
    gst: false,
    amount: 25_000,
    name: 'Mary Elsewhere',
    email: SENDER.email,
    external_id: `till-${randomBytes(4).toString('hex')}`,
    payin_method_name: 'kr_bank_krw',
    payin_method_params: { user_name: 'mary' },
  }
  return String((await elsewhere(network, '/v2/payins', { ...body, ...over }, 'krw'))['uuid'])
}

/** Makes an agreement elsewhere. Returns its id. */
export async function agreementElsewhere(network: Pick<Network, 'sandbox'>, over: Record<string, unknown> = {}) {
  const body = {
    client_transaction_id: randomBytes(8).toString('hex'),
    limit_amount: 90,
    description: 'Gym at the till',
    payment_agreement_type: 'RETAIL',
    agreement_details: { fixed_agreement_details_obj: { start_date: '31/01/30', frequency: 'MONTHLY' } },
    payer_details: { name: 'Mary Elsewhere', bank_account_details: { bsb: '062-000', account_number: '998877665' } },
    payment_agreement_notification: {
      endpoint_url: 'http://127.0.0.1:9/till',
      authorization_header: 'Bearer of the till',
    },
  }
  const made = await elsewhere(network, '/v1/pay_to/payment_agreement', { ...body, ...over })
  return String(made['payment_agreement_id'])
}

/** Makes a payout elsewhere. Returns its uuid. */
export async function payoutElsewhere(network: Pick<Network, 'sandbox'>, over: Record<string, unknown> = {}) {
  const [methodCode, methodFields] = [
    'au_bank_aud',
    { account_number: '112233445', account_name: 'Joan', bsb: '062000' },
  ]
  const body = {
    currency: 'AUD',
    payout_method_name: methodCode,
    description: 'Wages by hand',
    payout_transaction_details: [
      {
        first_name: 'Joan',
        last_name: 'Elsewhere',
        email: 'joan@example.test',
        amount: 33.5,
        payout_method_params: methodFields,
      },
    ],
    webhook_notification: { endpoint_url: 'http://127.0.0.1:9/till', authorization_header: 'Bearer of the till' },
  }
  return String((await elsewhere(network, '/v2/payouts', { ...body, ...over }))['uuid'])
}

/** Makes a link elsewhere through which somebody has paid. Returns the uuids of both. */
export async function paidElsewhere(network: Pick<Network, 'sandbox'>, over: Record<string, unknown> = {}) {
  const linkId = await linkElsewhere(network, over)
  const { paymentUuid } = await network.sandbox.control.setStatus(linkId, 'received')
  return { linkId, paymentId: String(paymentUuid) }
}

type Refreshed = {
  readonly __typename: string
  readonly changed?: boolean
  readonly payment?: { readonly id: string; readonly status: string } | null
}

/** Refreshes a payment, with every scope or with these. */
export async function refresh(
  network: Asking,
  id: string,
  scopes?: readonly ('payments:read' | 'payments:reconcile')[],
): Promise<Refreshed> {
  const options = scopes === undefined ? {} : { token: await network.token({ scopes }) }
  return (await network.ask<{ refreshPayment: Refreshed }>(REFRESH, { id }, options)).data.refreshPayment
}

/** Sources and statuses of the events of a payment, oldest first. */
export async function eventsOf(network: Asking, id: string) {
  const query = `query Events($id: ID!) { payment(id: $id) { events(first: 50) { nodes { source toStatus } } } }`
  const { data } = await network.ask<{ payment: { events: { nodes: readonly object[] } } | null }>(query, { id })
  return data.payment?.events.nodes ?? []
}

/** Sends a request to the sandbox as a program of the merchant that is not this one. Returns the answer. */
async function elsewhere(
  { sandbox }: Pick<Network, 'sandbox'>,
  path: string,
  body: Record<string, unknown>,
  site = 'aud',
): Promise<Record<string, unknown>> {
  const { appId = '', secretKey = '' } = DEFAULT_SITES.find(({ id }) => id === site) ?? {}
  const response = await fetch(`${sandbox.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'app-id': appId, 'secret-key': secretKey },
    body: JSON.stringify(body),
  })
  if (response.status !== 200) throw new Error(`The sandbox answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}
