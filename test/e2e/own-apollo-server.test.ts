import { ApolloServer } from '@apollo/server'
import { startStandaloneServer } from '@apollo/server/standalone'
import { expect, it, onTestFinished } from 'vitest'
import { askAt, type Network, PRODUCTION, startNetwork } from '../support/network.ts'

const ROUTER_SECRET = 'secret-of-the-router-1'

/** Starts an Apollo Server over the app, and returns what sends operations to it. */
async function startOwn(env: Record<string, string> = {}): Promise<Network['ask']> {
  const network = await startNetwork({ env })
  onTestFinished(() => network.close())
  const { options, context } = await network.app.apollo()
  const server = new ApolloServer({ ...options, plugins: [...options.plugins] })
  const { url } = await startStandaloneServer(server, { context, listen: { port: 0, host: '127.0.0.1' } })
  onTestFinished(() => server.stop())
  return askAt(() => url.replace(/\/$/, ''))
}

it('an Apollo Server over the schema has the rights, limits and errors of the subgraph', async () => {
  const ask = await startOwn()
  const outcome = async (query: string, options: Parameters<typeof ask>[2] = {}) => {
    const { status, errors } = await ask(query, {}, options)
    return [status, ...new Set(errors?.map(({ extensions }) => extensions?.['code']))]
  }
  expect((await ask('{ paymentCurrencies { code } }')).data).toHaveProperty('paymentCurrencies')
  expect(await outcome('{ webhookDelivery(id: "x") { id } }', { token: null })).toEqual([200, 'UNAUTHENTICATED'])
  expect(await outcome('{ __typename }', { token: 'x.y.z' })).toEqual([401, 'UNAUTHENTICATED'])
  const headers = { 'apollo-federation-include-trace': 'ftv1' }
  expect(await ask('{ __typename }', {}, { headers })).toEqual({ status: 200, data: { __typename: 'Query' } })
  expect(await outcome('{ nothing }')).toEqual([400, 'GRAPHQL_VALIDATION_FAILED'])
  expect(await outcome('{')).toEqual([400, 'GRAPHQL_PARSE_FAILED'])
  const heavy = Array.from({ length: 60 }, (_, at) => `a${at}: payments(first: 100) { nodes { id } }`).join(' ')
  expect(await outcome(`{ ${heavy} }`)).toEqual([400, 'OPERATION_LIMIT_EXCEEDED'])
  expect(await outcome('subscription { paymentEventStream { kind } }')).toEqual([400, 'BAD_REQUEST'])
})

it('entities and the schema need the secret of the router there as well, and introspection is off in production', async () => {
  const ask = await startOwn({ ...PRODUCTION, ROUTER_SECRETS: ROUTER_SECRET, UPSTREAM_ENVIRONMENT: 'sandbox' })
  const sdl = '{ _service { sdl } }'
  expect((await ask(sdl)).errors).toHaveLength(1)
  expect(await ask(sdl, {}, { headers: { 'x-router-secret': ROUTER_SECRET } })).toHaveProperty('data._service.sdl')
  expect((await ask('{ __schema { queryType { name } } }')).errors).toHaveLength(1)
})
