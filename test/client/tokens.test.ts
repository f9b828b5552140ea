import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { expiryOf } from '../../packages/client/src/client-errors.ts'
import { ask, watchPaymentEvents, watchPaymentLink, type WatchOptions } from '../../packages/client/src/index.ts'
import { pay } from '../support/checkout.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { startFrontProxy, type FrontProxy } from './front-proxy.ts'
import { eventsOf, isCaughtUp, isPaid, keep, logAfter, QUICK } from './watching.ts'

let network: Network
let proxy: FrontProxy
beforeAll(async () => {
  network = await startNetwork()
  proxy = await startFrontProxy(network.app.url)
})
afterAll(async () => {
  await proxy.close()
  await network.close()
})

const TRANSPORTS = ['socket', 'sse', 'polling'] as const
const LIVES = 2

it('gets another token before one is over, and nobody notices', async () => {
  const issued: string[] = []
  const leftMs: number[] = []
  const { watch, begin } = await watchFeed({
    token: async () => {
      leftMs.push((expiryOf(issued.at(-1) ?? '') ?? Infinity) - Date.now())
      issued.push(await network.token({ scopes: ['payments:read'], ttlSeconds: issued.length < LIVES ? 3 : 600 }))
      return issued.at(-1) ?? null
    },
  })
  await expect.poll(() => proxy.open.length === 1 && issued.length > LIVES).toBe(true)
  expect(Math.min(...leftMs)).toBeGreaterThan(0)
  await tellAndCompare(watch, begin)
  expect(watch.connections).toEqual(['connecting', 'live', 'closed'])
})

it.each(TRANSPORTS)('goes on with another token after the first was over, over %s', async (transport) => {
  const short = await network.token({ scopes: ['payments:read'], ttlSeconds: 1 })
  const isOver = () => Date.now() >= (expiryOf(short) ?? 0)
  let renewed = false
  const { watch, begin } = await watchFeed({
    transports: [transport],
    token: () => {
      renewed = isOver()
      return renewed ? network.token({ scopes: ['payments:read'] }) : short
    },
  })
  await expect.poll(() => renewed).toBe(true)
  await tellAndCompare(watch, begin)
})

it.each(TRANSPORTS)('gives up when the next token is refused too, over %s', async (transport) => {
  let given = 0
  const token = () => {
    given += 1
    return 'no-token'
  }
  const options = { url: proxy.url, token, transports: [transport], timing: QUICK }
  await expect(watchPaymentEvents(null, { ...options, after: 'AAAA' }).next()).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
  })
  expect(given).toBe(2)
})

it.each(TRANSPORTS)('gives up at once when there is no other token, over %s', async (transport) => {
  const own = await startFrontProxy(network.app.url)
  onTestFinished(() => own.close())
  const options = { url: own.url, token: 'no-token', transports: [transport], timing: QUICK }
  await expect(watchPaymentLink('a', options).next()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  expect(own.asked[transport === 'polling' ? 'http' : transport]).toBe(1)
})

it.each(TRANSPORTS)('tells who may not, and what is not there, over %s', async (transport) => {
  const options = { url: proxy.url, transports: [transport], timing: QUICK, after: 'AAAA' }
  const { id } = await createLink(network)
  await expect(watchPaymentLink(id, { ...options, statusToken: 'st1.a.b.c' }).next()).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
  const token = await network.token({ scopes: ['balances:read'] })
  await expect(watchPaymentEvents(null, { ...options, token }).next()).rejects.toMatchObject({ code: 'FORBIDDEN' })
})

it('asks once more with another token, and tells why it could not', async () => {
  const tokens = ['no-token', await network.token({ scopes: ['payments:read'] })]
  const query = '{ payments(first: 1) { nodes { id } } }'
  const endpoint = { url: proxy.url, token: () => tokens.shift() ?? null }
  expect(await ask(query, {}, endpoint)).toEqual({ payments: { nodes: expect.any(Array) } })
  await expect(ask(query, {}, { url: proxy.url, token: 'no-token' })).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
    status: 401,
  })
  await expect(ask('{ nothing }', {}, { url: proxy.url })).rejects.toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED' })
  await expect(ask(query, {}, { url: 'http://127.0.0.1:9/graphql' })).rejects.toMatchObject({
    code: 'NETWORK',
    retryable: true,
  })
  const late = { url: proxy.url, fetch: slowFetch, timeoutMs: 20 }
  await expect(ask(query, {}, late)).rejects.toMatchObject({ code: 'TIMEOUT' })
  await expect(ask(query, {}, late, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
})

/** A fetch without an answer; it rejects when it is aborted. */
const slowFetch: typeof fetch = (_url, options) =>
  new Promise((_resolve, reject) => options?.signal?.addEventListener('abort', () => reject(new Error('aborted'))))

async function watchFeed(options: Partial<WatchOptions>) {
  await createLink(network)
  const begin = (await logAfter(network, null)).at(-1) ?? ''
  const usual = { url: proxy.url, after: begin, pollMs: 20, timing: QUICK }
  const watch = keep((more) => watchPaymentEvents(null, { ...usual, ...options, ...more }))
  await watch.until(isCaughtUp)
  return { watch, begin }
}

async function tellAndCompare(watch: Awaited<ReturnType<typeof watchFeed>>['watch'], begin: string) {
  const link = await createLink(network)
  await pay(link.checkoutUrl)
  await watch.until((update) => isPaid(update) && update.link?.id === link.id)
  await network.sandbox.settle()
  const log = await logAfter(network, begin)
  await expect.poll(() => eventsOf(watch.updates)).toEqual(log)
  await watch.leave()
}
