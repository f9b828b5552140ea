import type { ApolloServerPlugin } from '@apollo/server'
import { ApolloServerPluginUsageReporting } from '@apollo/server/plugin/usageReporting'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { Context } from '../../src/graphql/context.ts'
import type { ExtensionContext } from '../../src/graphql/schema/schema-extension.ts'
import { type Network, startNetwork } from '../support/network.ts'

const CURRENCIES = 'query Currencies { paymentCurrencies { code } }'

const seen: unknown[] = []
const plugin: ApolloServerPlugin<ExtensionContext> = {
  requestDidStart: async ({ contextValue: { caller }, request }) => ({
    async willSendResponse({ operationName, errors }) {
      if (operationName === 'Broken') throw new Error('payer@example.test')
      const subject = caller.kind === 'client' ? caller.subject : null
      const name = request.http?.headers.get('apollographql-client-name') ?? null
      seen.push([operationName, subject, name, request.http?.headers.get('authorization'), errors?.length ?? 0])
    },
  }),
}

let loaders: unknown = null
const extension = {
  typeDefs: 'extend type Mutation { hasNewLoaders: Boolean! }',
  resolvers: {
    Mutation: {
      hasNewLoaders(_root: unknown, _args: unknown, context: Context) {
        const isNew = context.loaders !== loaders
        loaders = context.loaders
        return isNew
      },
    },
  },
}

let network: Network
beforeAll(async () => void (network = await startNetwork({ extensions: { plugins: [plugin], extension } })))
afterAll(() => network.close())

it('a plugin sees each operation that may run, its caller and the name of the client, and no token', async () => {
  seen.length = 0
  const headers = { 'apollographql-client-name': 'shop' }
  const { data } = await network.ask<{ paymentCurrencies: object[] }>(CURRENCIES, {}, { headers })
  await network.ask(CURRENCIES, {}, { token: null })
  await network.ask(
    'query Unknown { payinMethods(amount: { value: "1.001", currency: "AUD" }) { stale } }',
    {},
    { token: null },
  )
  expect(data.paymentCurrencies.length).toBeGreaterThan(0)
  expect(seen).toEqual([
    ['Currencies', 'tester', 'shop', undefined, 0],
    ['Currencies', null, null, undefined, 0],
    ['Unknown', null, null, undefined, 1],
  ])
})

it('each mutation of an operation begins with nothing that was read for the one before', async () => {
  const { data } = await network.ask('mutation { a: hasNewLoaders b: hasNewLoaders }')
  expect(data).toEqual({ a: true, b: true })
})

it('an error in a plugin is masked, and a stream runs beside them', async () => {
  const broken = await network.ask('query Broken { paymentCurrencies { code } }')
  expect(broken.errors?.map(({ extensions }) => extensions?.['code'])).toEqual(['INTERNAL_SERVER_ERROR'])
  expect(JSON.stringify(broken) + network.log()).not.toContain('payer@example.test')
  const stream = await network.follow('subscription { paymentEventStream { kind } }')
  await stream.until(({ kind }) => kind === 'CAUGHT_UP')
  await stream.end()
})

it('a plugin that cannot start ends the start', async () => {
  const failing = { serverWillStart: () => Promise.reject(new Error('no key')) }
  await expect(startNetwork({ extensions: { plugins: [failing] } })).rejects.toThrow('no key')
})

it('a plugin of Apollo Server itself replaces the switch that turns it off', async () => {
  const reporting = ApolloServerPluginUsageReporting<ExtensionContext>({ sendReportsImmediately: false })
  expect(reporting).toHaveProperty('__internal_plugin_id__', 'UsageReporting')
  const started = startNetwork({ extensions: { plugins: [reporting] } })
  onTestFinished(() =>
    started.then(
      ({ close }) => close(),
      () => {},
    ),
  )
  // Its own message, and not that there are two.
  await expect(started).rejects.toThrow('Apollo API key')
})
