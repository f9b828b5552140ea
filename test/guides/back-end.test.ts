import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildSubgraphSchema } from '@apollo/subgraph'
import { composeServices } from '@theguild/federation-composition'
import { graphql, parse } from 'graphql'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { projectOf, snippetsOf, typeFaults } from './snippets.ts'

const GUIDE = 'back-end.md'

let network: Network
let env: Record<string, string>
beforeAll(async () => {
  network = await startNetwork()
  const token = await network.token({ scopes: ['payments:read', 'payments:write'] })
  env = { PAYMENTS_URL: `${network.app.url}/graphql`, PAYMENTS_TOKEN: token }
  return () => network.close()
})

/** Pays on a hosted page as a customer does. */
async function pay(checkoutUrl: string): Promise<void> {
  const { ok } = await fetch(`${checkoutUrl}/pay`, { method: 'POST', body: new URLSearchParams() })
  expect(ok).toBe(true)
}

const checkoutUrls = (output: string): string[] => output.split('\n').map((line) => line.split(' ')[2] ?? '')

/** Returns the place of the newest change of a status. */
async function newestCursor(): Promise<string> {
  const query = '{ paymentEvents(first: 100, filter: { kinds: [PAYMENT_STATUS_CHANGED] }) { pageInfo { endCursor } } }'
  const token = env['PAYMENTS_TOKEN'] ?? ''
  const { data } = await network.ask<{ paymentEvents: { pageInfo: { endCursor: string } } }>(query, { token })
  return data?.paymentEvents.pageInfo.endCursor ?? ''
}

describe('the guide for the back end', () => {
  test('is written in sound types', () => {
    expect(typeFaults(projectOf(GUIDE, env))).toBe('')
  })

  test('names every file and every package that its files import', () => {
    const text = readFileSync(join(import.meta.dirname, '../../docs/guides', GUIDE), 'utf8')
    const installed = /^npm install ([\w -]+?) +#/m.exec(text)?.[1]?.split(' ') ?? []
    const imported = [...snippetsOf(GUIDE).values()].flatMap((code) =>
      [...code.matchAll(/^import .* from '([^.'][^']*)'$/gm)].map(([, name = '']) => name),
    )
    expect(installed).toEqual(expect.arrayContaining(imported.filter((name) => !name.startsWith('node:'))))
    const explained = /\| File \| Run it with \|\n(.*?)\n\n/s.exec(text)?.[1] ?? ''
    for (const name of snippetsOf(GUIDE).keys()) expect(explained).toContain(`\`${name}\``)
  })

  test('has a job that may run twice', async () => {
    const { run } = projectOf(GUIDE, env)
    const first = await run('bill-orders.ts').output()
    expect(first.split('\n').map((line) => line.split(' ')[0])).toEqual(['A-1', 'A-2', 'A-3'])
    expect(await run('bill-orders.ts').output()).toBe(first)
  })

  test('names the field that is wrong', async () => {
    const { folder } = projectOf(GUIDE, env)
    const { linkFor } = await load<{ linkFor(order: unknown): Promise<unknown> }>(folder, 'create-link.ts')
    const customer = { email: 'ada@example.test', firstName: 'Ada', lastName: 'Payer' }
    const order = { id: 'C-1', total: { value: '1.999', currency: 'AUD' }, title: 'x', customer, attempt: 1 }
    await expect(linkFor(order)).rejects.toThrow(/amount/)
  })

  test('has a follower that goes on where it was killed', async () => {
    const { folder, run } = projectOf(GUIDE, env)
    const follower = run('follow-payments.ts')
    await follower.line(/^up to date$/)
    const [one = '', two = ''] = checkoutUrls(await run('bill-orders.ts').output())
    await pay(one)
    expect(await follower.line(/paid/)).toBe('A-1 paid 19.90 AUD')
    // Killed before it has noted its place, it would say the same again.
    const newest = await newestCursor()
    await expect.poll(() => readFileSync(join(folder, 'place.txt'), 'utf8')).toBe(newest)
    await follower.kill()
    await pay(two)
    const again = run('follow-payments.ts')
    expect(await again.line(/paid/)).toBe('A-2 paid 19.90 AUD')
  })

  test('has a subgraph that composes with ours, and refers to our link', async () => {
    const typeDefs = parse(snippetsOf(GUIDE).get('orders.graphql') ?? '')
    const payments = readFileSync(join(import.meta.dirname, '../../schema.graphql'), 'utf8')
    const { errors } = composeServices([
      { name: 'payments', url: 'http://payments.test', typeDefs: parse(payments) },
      { name: 'orders', url: 'http://orders.test', typeDefs },
    ])
    expect(errors).toBeUndefined()

    const { folder } = projectOf(GUIDE, env)
    const { resolvers } = await load<{ resolvers: Record<string, never> }>(folder, 'orders-resolvers.ts')
    const schema = buildSubgraphSchema([{ typeDefs, resolvers }])
    const source = 'mutation { payOrder(id: "B-1") { paymentLink { __typename id } } }'
    const paid = (await graphql({ schema, source })) as { data: { payOrder: { paymentLink: { id: string } } } }
    const { id } = paid.data.payOrder.paymentLink
    const ours = await network.ask(`{ paymentLink(id: "${id}") { reference state } }`)
    expect(ours.data).toEqual({ paymentLink: { reference: 'B-1', state: 'OPEN' } })
  })

  test('throws when what answers is no GraphQL', async () => {
    const server = createServer((_request, response) => response.writeHead(502).end('<html>'))
    const { folder } = projectOf(GUIDE, env)
    const { ask } = await load<{ ask(query: string, variables: object): Promise<unknown> }>(folder, 'payments.ts')
    process.env['PAYMENTS_URL'] = await listen(server)
    await expect(ask('{ __typename }', {})).rejects.toThrow('JSON')
  })
})

/** Imports a file of the guide into this process, with the settings of this test's app. */
async function load<Module>(folder: string, file: string): Promise<Module> {
  Object.assign(process.env, env)
  onTestFinished(() => {
    for (const name of Object.keys(env)) delete process.env[name]
  })
  return (await import(pathToFileURL(join(folder, file)).href)) as Module
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
