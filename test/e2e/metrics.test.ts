import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pay } from '../support/checkout.ts'
import { type Sample, scrape, sumOf } from '../support/metrics.ts'
import { SECRETS, startNetwork, type Network } from '../support/network.ts'
import { CREATE_LINK, createLink, LINK_UPDATES } from '../support/operations.ts'
import { isCaughtUp, isReceived } from '../support/streams.ts'
import { defaultAddress, honestHeaders, paymentBody, send } from '../support/webhooks.ts'

const CURRENCIES = 'query Currencies { paymentCurrencies { code } }'
const folder = mkdtempSync(join(tmpdir(), 'metrics-'))
const path = join(folder, 'documents.json')
const documents = [CURRENCIES, CREATE_LINK, LINK_UPDATES].map((text) => [
  createHash('sha256').update(text).digest('hex'),
  text,
])
writeFileSync(path, JSON.stringify(Object.fromEntries(documents)))

let trusting: Network
let network: Network
beforeAll(async () => {
  trusting = await startNetwork({ env: { TRUSTED_DOCUMENTS: path } })
  network = await startNetwork()
})
afterAll(async () => {
  await trusting.close()
  await network.close()
  rmSync(folder, { recursive: true })
})

/** Returns by how much a figure rises while something is done. */
async function riseOf(
  name: string,
  labels: Readonly<Record<string, string>>,
  work: () => Promise<unknown>,
  of = network,
) {
  const before = sumOf(await scrape(of.app.url), name, labels)
  await work()
  return sumOf(await scrape(of.app.url), name, labels) - before
}

const linesOf = (of: Network, msg: string) =>
  of
    .log()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line['msg'] === msg)

describe('operations of GraphQL', () => {
  it('are counted by kind, name and outcome, and timed', async () => {
    const labels = { kind: 'query', operation: 'Currencies' }
    const twice = async () => {
      for (let time = 0; time < 2; time += 1) await trusting.ask(CURRENCIES)
    }
    expect(await riseOf('payments_graphql_requests_total', { ...labels, outcome: 'success' }, twice, trusting)).toBe(2)
    expect(await riseOf('payments_graphql_request_duration_seconds_count', labels, twice, trusting)).toBe(2)
  })

  it('have the code of their error as outcome', async () => {
    const refused = { kind: 'unknown', operation: 'other', outcome: 'UNTRUSTED_DOCUMENT' }
    expect(
      await riseOf('payments_graphql_requests_total', refused, () => trusting.ask('{ __typename }'), trusting),
    ).toBe(1)
    const forbidden = { kind: 'query', operation: 'other', outcome: 'UNAUTHENTICATED' }
    const query = '{ payments(first: 1) { nodes { id } } }'
    expect(
      await riseOf('payments_graphql_requests_total', forbidden, () => network.ask(query, {}, { token: null })),
    ).toBe(1)
  })

  it('show no name that a stranger has chosen', async () => {
    const name = 'AStrangersOwnName'
    const labels = { kind: 'query', operation: 'other', outcome: 'success' }
    const ask = () => network.ask(`query ${name} { paymentCurrencies { code } }`)
    expect(await riseOf('payments_graphql_requests_total', labels, ask)).toBe(1)
    expect(await (await fetch(`${network.app.url}/metrics`)).text()).not.toContain(name)
  })

  it('are counted over a socket too', async () => {
    const link = await createLink(network)
    const labels = { kind: 'subscription', outcome: 'success' }
    const open = async () => {
      const stream = await network.follow(LINK_UPDATES, { id: link.id })
      await stream.next()
      expect(sumOf(await scrape(network.app.url), 'payments_limit_used', { limit: 'sockets_per_caller' })).toBe(1)
      await stream.end()
    }
    expect(await riseOf('payments_graphql_requests_total', labels, open)).toBe(1)
    const maximum = sumOf(await scrape(network.app.url), 'payments_limit_maximum', { limit: 'sockets_per_caller' })
    expect(maximum).toBe(1_000)
  })
})

it('HTTP is counted by route and status, and timed', async () => {
  const at = (route: string, status: string, url: string) =>
    riseOf('payments_http_requests_total', { route, status }, () => fetch(`${network.app.url}${url}`))
  expect(await at('/health/live', '200', '/health/live')).toBe(1)
  expect(await at('none', '404', '/a-strangers-path')).toBe(1)
  const labels = { route: '/graphql' }
  const ask = () => network.ask(CURRENCIES)
  expect(await riseOf('payments_http_request_duration_seconds_count', labels, ask)).toBe(1)
})

describe('webhooks', () => {
  it('are timed on their way to the disk and to a stream, and the last authentic one is known', async () => {
    const link = await createLink(network)
    const stream = await network.follow(LINK_UPDATES, { id: link.id })
    await stream.until(isCaughtUp)
    const before = Date.now() / 1_000
    const delivered = async () => {
      await pay(link.checkoutUrl)
      await stream.until(isReceived)
      await network.sandbox.settle()
    }
    expect(await riseOf('payments_event_delivery_duration_seconds_count', {}, delivered)).toBeGreaterThan(0)
    await stream.end()
    const samples = await scrape(network.app.url)
    const kind = { kind: 'payments' }
    expect(sumOf(samples, 'payments_webhook_store_duration_seconds_count', kind)).toBeGreaterThan(0)
    expect(sumOf(samples, 'payments_webhook_last_authentic_timestamp_seconds', kind)).toBeGreaterThanOrEqual(before)
    expect(sumOf(samples, 'payments_webhook_last_authentic_timestamp_seconds', { kind: 'payouts' })).toBe(0)
    expect(
      sumOf(samples, 'payments_commands_total', { mutation: 'createPaymentLink', outcome: 'done' }),
    ).toBeGreaterThan(0)
  })

  it('that are forged are counted by reason, with one line and no secret', async () => {
    const forge = async () => {
      for (let time = 0; time < 20; time += 1) {
        const body = paymentBody()
        await send(defaultAddress(network), {
          headers: honestHeaders(body, undefined, 'another-secret-altogether'),
          body,
        })
      }
    }
    const labels = { kind: 'payments', reason: 'signature_mismatch' }
    expect(await riseOf('payments_webhooks_total', labels, forge)).toBe(20)
    expect(linesOf(network, 'webhooks were refused')).toEqual([
      expect.objectContaining({ level: 'warn', kind: 'payments', reason: 'signature_mismatch', status: 401, count: 1 }),
    ])
    expect(network.log()).not.toContain('another-secret')
  })
})

it('a token that is refused because of a clock says so', async () => {
  const early = await new SignJWT({ sub: 'early' })
    .setProtectedHeader({ alg: 'HS256' })
    .setNotBefore(Math.floor(Date.now() / 1_000) + 600)
    .setExpirationTime('1h')
    .sign(Buffer.from(SECRETS.jwt))
  const ask = async () => {
    const { errors } = await network.ask(CURRENCIES, {}, { token: early })
    expect(errors).toMatchObject([{ message: 'The token is not valid yet.', extensions: { code: 'UNAUTHENTICATED' } }])
  }
  expect(await riseOf('payments_tokens_refused_total', { reason: 'not_yet_valid' }, ask)).toBeGreaterThan(0)
  expect(linesOf(network, "client tokens are not valid yet: compare this clock with the issuer's")).toHaveLength(1)
})

it('the database, the log, the payments API and the build are shown', async () => {
  await createLink(network)
  const samples = await scrape(network.app.url)
  const positive = (name: string, labels = {}) => expect([name, sumOf(samples, name, labels) > 0]).toEqual([name, true])
  positive('payments_store_size_bytes')
  positive('payments_store_write_ahead_log_bytes')
  positive('payments_store_disk_free_bytes')
  positive('payments_store_commit_duration_seconds_count')
  positive('payments_store_commit_decisions_sum')
  positive('payments_log_position')
  positive('payments_upstream_requests_total', { site: 'aud', endpoint: 'createPayinLink', outcome: 'success' })
  positive('payments_upstream_request_duration_seconds_count', { site: 'aud', endpoint: 'createPayinLink' })
  positive('payments_upstream_retry_budget', { site: 'aud' })
  positive('payments_build_info', { database: 'sqlite' })
  expect(sumOf(samples, 'payments_store_up')).toBe(1)
  expect(sumOf(samples, 'payments_log_lag_seconds')).toBe(0)
  expect(sumOf(samples, 'payments_log_head_position')).toBe(sumOf(samples, 'payments_log_position'))
  expect(Math.abs(sumOf(samples, 'payments_upstream_clock_offset_seconds'))).toBeLessThan(2)
  const names = new Set(samples.map(({ name }: Sample) => name))
  expect(names.has('payments_upstream_clock_offset_seconds')).toBe(true)
})
