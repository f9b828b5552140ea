/**
 * `_entities` with 20 links, compared with Fastify that sends the same bytes: `npm run bench -- entities [options]`. The links differ in
 * each request.
 *
 *   --connections <n>    default 64
 *   --only, --rounds, --seconds, --program, --page: see `support/run-bench.ts`; servers: product, fastify
 */
import { writeFileSync } from 'node:fs'
import { bearer } from './support/client-token.ts'
import { compare, describeRounds, ratiosTo } from './support/http/compare.ts'
import { productOf, startFastify } from './support/http/contenders.ts'
import { exchange, jsonPost } from './support/http/message.ts'
import { requireWrk } from './support/http/wrk.ts'
import { type Bench, type Report, runBench } from './support/run-bench.ts'
import { startSubgraph } from './support/subgraph.ts'

const ENTITIES = `query Links($representations: [_Any!]!) { _entities(representations: $representations) {
  ... on PaymentLink { id reference checkoutUrl requestedAmount { value currency exponent } expiresAt state payment { id } } } }`

const ROUTER_SECRET = 'router-secret-of-the-bench-0123456789'
const LINKS = 1_000
const REPRESENTATIONS = 20

await runBench({
  name: 'entities',
  title: 'Entities',
  defaults: { rounds: 5, seconds: 3 },
  options: { connections: '64' },
  run,
})

async function run(bench: Bench): Promise<Report> {
  requireWrk()
  const { program, cleanUp, rounds, seconds, folder, progress } = bench
  const product = await startSubgraph({ program, cleanUp, env: { ROUTER_SECRETS: ROUTER_SECRET } })
  progress(`making ${LINKS} links`)
  const ids = (await product.createLinks(LINKS)).map(({ id }) => id)
  const list = ids.map((first, index) => {
    const others = Array.from(
      { length: REPRESENTATIONS - 1 },
      (_, other) => ids[(index + 37 * (other + 1)) % ids.length],
    )
    return requestFor([first, ...others])
  })
  const bodies: Record<string, string> = {}
  for (const [index, request] of list.entries()) {
    const { status, body } = await exchange(product.url, request)
    const found = body.toString().split('"reference"').length - 1
    if (status !== 200 || found !== REPRESENTATIONS) throw new Error(`Not all links are found: ${body.toString()}`)
    bodies[ids[index] ?? ''] = body.toString()
  }
  const path = `${folder}/bodies.json`
  writeFileSync(path, JSON.stringify(bodies))
  const contenders = [productOf(product), await startFastify(bench, product, { list }, { BODIES: path })]
  const compared = await compare(
    {
      title: `_entities × ${REPRESENTATIONS}`,
      requests: { list },
      contenders: contenders.filter(({ name }) => bench.includes(name)),
    },
    { rounds, seconds, connections: Number(bench.option('connections')), folder, onProgress: progress },
  )
  return {
    setting: `${REPRESENTATIONS} representations of different links in each request, with the router's secret and a client's token, over ${bench.option('connections')} connections. Fastify
sends the recorded bytes from memory, headers included. Both gave the same bodies before they were measured; every answer was 200 and of
the same size.`,
    figures: ratiosTo('fastify', compared, 0.5),
    details: describeRounds([compared]),
  }
}

/** Returns a request for these links. `variables.id` is the key of the answer that Fastify has recorded; the product ignores it. */
function requestFor(ids: readonly (string | undefined)[]): string {
  const representations = ids.map((id) => ({ __typename: 'PaymentLink', id }))
  const body = JSON.stringify({ query: ENTITIES, variables: { representations, id: ids[0] } })
  const headers = { authorization: bearer('payments:read'), 'x-router-secret': ROUTER_SECRET }
  return jsonPost({ path: '/graphql', headers, body })
}
