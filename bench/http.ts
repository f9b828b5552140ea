/**
 * Queries over HTTP, compared with servers that return the same answers: `npm run bench -- http [options]`.
 *
 *   --cases <list>       any of `equal` (the reference query, always the same request), `different` (its variables differ in each request)
 *                        and `link` (own links by their ids); default: all
 *   --connections <n>    default 64
 *   --only, --rounds, --seconds, --program, --page: see `support/run-bench.ts`; servers: product, fastify, mercurius, yoga, apollo
 */
import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { bearer } from './support/client-token.ts'
import { type Case, compare, type Compared, describeRounds, ratiosTo } from './support/http/compare.ts'
import { productOf, startFastify } from './support/http/contenders.ts'
import { exchange, jsonPost } from './support/http/message.ts'
import { requireWrk } from './support/http/wrk.ts'
import { type Peer, startPeer } from './support/peers.ts'
import { type Bench, type Report, runBench } from './support/run-bench.ts'
import { startSubgraph, type Subgraph } from './support/subgraph.ts'

const METHODS = `query Methods($currencies: [CurrencyCode!], $amount: PaymentAmountInput) {
  payinMethods(currencies: $currencies, amount: $amount) { nodes { code name currency countryCode kind kindRaw } } }`

const LINK = `query Link($id: ID!) {
  paymentLink(id: $id) { id reference site checkoutUrl requestedAmount { value currency exponent } description createdAt expiresAt state payment { id } } }`

/** The data of the peers: every field that their resolvers may need. */
const ALL_OF_METHODS = `{ payinMethods { nodes { code name currency countryCode kind kindRaw
  minAmount { value currency exponent } maxAmount { value currency exponent } } } }`

const EQUAL = 'equal requests'
const DIFFERENT = 'different requests'
const OWN_LINK = 'own link by id'

const METHOD_COUNT = 40
const LINKS = 1_000

await runBench({
  name: 'http',
  title: 'Queries over HTTP',
  defaults: { rounds: 4, seconds: 3 },
  options: { cases: 'equal,different,link', connections: '64' },
  run,
})

async function run(bench: Bench): Promise<Report> {
  requireWrk()
  const product = await startSubgraph({ program: bench.program, cleanUp: bench.cleanUp })
  const cases = bench.option('cases').split(',')
  const connections = Number(bench.option('connections'))
  const compared: Compared[] = []
  for (const [name, prepare] of [
    ['equal', prepareEqual],
    ['different', prepareDifferent],
    ['link', prepareLinks],
  ] as const) {
    if (!cases.includes(name)) continue
    const prepared = await prepare(bench, product)
    const contenders = prepared.contenders.filter((contender) => bench.includes(contender.name))
    const { rounds, seconds, folder, progress: onProgress } = bench
    compared.push(await compare({ ...prepared, contenders }, { rounds, seconds, connections, folder, onProgress }))
  }
  return {
    setting: `The product in production, with rights, limits, logging and metrics; the client has a valid token. ${connections} connections. Every
server gave the same bodies before it was measured, and every answer was 200 and of the same size. Mercurius (with jit), Yoga and Apollo
Server answer from memory with the product's schema, without rights; Fastify sends the recorded bytes, headers included.`,
    figures: compared.flatMap((each) => goalsOf(each)),
    details: describeRounds(compared),
  }
}

function goalsOf(compared: Compared) {
  if (compared.title === EQUAL) return ratiosTo('fastify', compared, 0.9)
  if (compared.title === OWN_LINK) return ratiosTo('fastify', compared, 0.5)
  return [
    ...ratiosTo('fastify', compared, 0.45),
    ...ratiosTo('mercurius', compared, 1),
    ...ratiosTo('yoga', compared, 3),
    ...ratiosTo('apollo', compared, null),
  ]
}

async function prepareEqual(bench: Bench, product: Subgraph): Promise<Case> {
  const requests = { list: [post(METHODS, { currencies: ['AUD'] })] }
  return { title: EQUAL, requests, contenders: [productOf(product), await startFastify(bench, product, requests)] }
}

async function prepareDifferent(bench: Bench, product: Subgraph): Promise<Case> {
  const sample = post(METHODS, { currencies: ['AUD'], amount: { value: '1000000.25', currency: 'AUD' } })
  const [before = '', after = ''] = sample.split('1000000.25')
  const requests = { before, after }
  const { payinMethods } = (await product.ask(ALL_OF_METHODS)) as { payinMethods: { nodes: readonly unknown[] } }
  if (payinMethods.nodes.length !== METHOD_COUNT) throw new Error(`There are ${payinMethods.nodes.length} methods.`)
  const methods = `${bench.folder}/methods.json`
  writeFileSync(methods, JSON.stringify(payinMethods.nodes))
  const contenders = [productOf(product), await startFastify(bench, product, requests)]
  for (const peer of ['mercurius', 'yoga', 'apollo'] satisfies Peer[]) {
    if (!bench.includes(peer)) continue
    const readyPath = peer === 'apollo' ? '/?query=%7B__typename%7D' : '/health/ready'
    const server = await startPeer(peer, { env: { METHODS: methods }, readyPath, cleanUp: bench.cleanUp })
    contenders.push({ name: peer, server })
  }
  return { title: DIFFERENT, requests, contenders }
}

/** Prepares links and their answers. Fastify reads the answers from a table with one row per link. */
async function prepareLinks(bench: Bench, product: Subgraph): Promise<Case> {
  bench.progress(`making ${LINKS} links`)
  const links = await product.createLinks(LINKS)
  const requests = { list: links.map(({ id }) => post(LINK, { id })) }
  const path = `${bench.folder}/answers.db`
  const database = new DatabaseSync(path)
  database.exec('CREATE TABLE answers (id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID')
  const insert = database.prepare('INSERT INTO answers VALUES (?, ?)')
  for (const [index, { id }] of links.entries()) {
    const { status, body } = await exchange(product.url, requests.list[index] ?? '')
    if (status !== 200 || !body.includes(`"id":"${id}"`))
      throw new Error(`The link ${id} is not found: ${body.toString()}`)
    insert.run(id, body.toString())
  }
  database.close()
  const fastify = await startFastify(bench, product, requests, { DATABASE: path })
  return { title: OWN_LINK, requests, contenders: [productOf(product), fastify] }
}

function post(query: string, variables: Readonly<Record<string, unknown>>): string {
  const body = JSON.stringify({ query, variables })
  return jsonPost({ path: '/graphql', headers: { authorization: bearer('payments:read') }, body })
}
