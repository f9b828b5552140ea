import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fillDatabase, fillingOf } from '../../bench/support/fill-database.ts'
import { run } from '../../src/cli/command-line.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { download, exportedIds, exportUrl, fillPayments } from '../support/payments-export.ts'

/** A page looks at 5,000 rows: fewer than the log has, and than the payments that follow the last expired one. */
const [LOGGED, LATER] = [1_000, 5_500]
/** Of each ten payments with events, the fourth has expired; the last 50 have no amount that is known. */
const EXPIRED = 95
/** Of events that no other is like. */
const [FIRST, LAST] = ['link:ref-1.3', 'link:ref-1000.5']

let network: Network
beforeAll(async () => {
  network = await startNetwork()
  const database = new DatabaseSync(join(network.folder, 'payments.db'))
  database.exec('BEGIN')
  await fillDatabase((sql) => database.exec(sql), fillingOf(LOGGED))
  await fillPayments((sql) => database.exec(sql), LATER)
  database.exec(
    `UPDATE events SET kind = 'AGREEMENT_AMENDED' WHERE stream_id || '.' || sequence IN ('${FIRST}', '${LAST}')`,
  )
  database.exec('COMMIT')
  database.close()
})
afterAll(() => network.close())

const KINDS = { kinds: ['AGREEMENT_AMENDED'] } as const

type List = {
  readonly nodes: readonly { readonly id: string }[]
  readonly pageInfo: Readonly<Record<'hasNextPage' | 'hasPreviousPage', boolean>> &
    Readonly<Record<'startCursor' | 'endCursor', string | null>>
}

async function events(args: string, filter: object = KINDS): Promise<List> {
  const query = `query Events($filter: PaymentEventFilter) { list: paymentEvents(${args}, filter: $filter) {
    nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`
  return (await network.ask<{ list: List }>(query, { filter })).data.list
}

it('a list goes on behind a page that is not full', async () => {
  const first = await events('first: 10')
  expect(first).toMatchObject({ nodes: [{ id: FIRST }], pageInfo: { hasNextPage: true, hasPreviousPage: false } })
  const second = await events(`first: 10, after: "${first.pageInfo.endCursor}"`)
  expect(second).toMatchObject({ nodes: [{ id: LAST }], pageInfo: { hasNextPage: false, hasPreviousPage: true } })
})

it('a list goes on behind an empty page, forwards and backwards', async () => {
  const filter = { kinds: ['AGREEMENT_CREATED'] }
  const first = await events('first: 10', filter)
  expect(first).toMatchObject({ nodes: [], pageInfo: { hasNextPage: true, startCursor: null } })
  const rest = await events(`first: 10, after: "${first.pageInfo.endCursor}"`, filter)
  expect(rest).toMatchObject({ nodes: [], pageInfo: { hasNextPage: false, endCursor: null } })
  const newest = await events('last: 10', filter)
  expect(newest).toMatchObject({ nodes: [], pageInfo: { hasPreviousPage: true, hasNextPage: false, endCursor: null } })
  const before = await events(`last: 10, before: "${newest.pageInfo.startCursor}"`, filter)
  expect(before).toMatchObject({ nodes: [], pageInfo: { hasPreviousPage: false, hasNextPage: true } })
})

it('a hundred rows with all that a payment or an event has are within the limits of one request', async () => {
  const money = '{ value currency exponent }'
  const snapshot = `{ status statusRaw phase version amount ${money} total ${money} paid ${money} refunded ${money}
    refunds { refundId state amount ${money} } failure { code category retry customerMessage } }`
  const rows = await network.ask(
    `query Rows($first: Int) { payments(first: $first) { nodes {
    id nodeId site reference status statusRaw phase terminal version provisional refundable methodRaw instructions { qrContent account { accountNumber } raw }
    amount ${money} requestedAmount ${money} total ${money} paid ${money} refunded ${money}
    refunds { id state amount ${money} requestedAt settledAt requestedHere }
    duplicate { reason resolution } card { brand last4 } payer { name email } nextAction { kind url label }
    failure { code category retry customerMessage upstreamMessage } method { code name kind }
    link { id reference state checkoutUrl requestedAmount ${money} }
    expiresAt createdAt updatedAt } } }`,
    { first: 100 },
  )
  expect(rows.errors).toBeUndefined()
  const all = await network.ask(`{ paymentEvents(first: 100) { nodes { id kind before ${snapshot} after ${snapshot}
    refund { refundId } payment { id } link { id } agreement { id } payout { id } gatewayPayment { id } } } }`)
  expect(all.errors).toBeUndefined()
})

it('a stream goes on past events of other kinds', async () => {
  const after = (await events('first: 1')).pageInfo.endCursor
  const query = `subscription ($filter: PaymentEventFilter, $after: String) {
    paymentEventStream(filter: $filter, after: $after) { kind event { id } } }`
  const stream = await network.follow(query, { filter: KINDS, after })
  expect(await stream.next()).toMatchObject({ kind: 'EVENT', event: { id: LAST } })
  expect(await stream.next()).toMatchObject({ kind: 'CAUGHT_UP' })
})

it('an export, and that of the command line, have what lies behind empty pages', async () => {
  const { file } = await download(await exportUrl(network, { format: 'NDJSON', filter: { phases: ['EXPIRED'] } }))
  expect(exportedIds(file)).toHaveLength(EXPIRED)
  let written = ''
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written += chunk.toString()
      done()
    },
  })
  const env = { SUBGRAPH_URL: `${network.app.url}/graphql`, SUBGRAPH_TOKEN: await network.token() }
  const args = ['export', '--phase', 'EXPIRED', '--format', 'ndjson']
  expect(await run(args, env, { output, terminal: process.stderr })).toMatchObject({ code: 0 })
  expect(exportedIds(written)).toEqual(exportedIds(file))
})
