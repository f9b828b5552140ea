import { startSandbox } from 'payments-subgraph-sandbox'
import type { Sandbox } from 'payments-subgraph-sandbox'
import { afterAll, expect, test } from 'vitest'
import { aliasBody, create } from '../bodies.ts'
import { call, createLink, sandboxFor } from '../support.ts'

type Json = Record<string, unknown>

/** Milliseconds; longer than a slow machine takes between two calls, because the sandbox's clock also runs in real time. */
const PACE_MS = 60_000

// The tables share one sandbox, because they change nothing.
const shared = await startSandbox()
afterAll(() => shared.close())

async function balances(sandbox: Sandbox, site = 'aud'): Promise<number[]> {
  const path = `/v2/balances/detail?currency=${site.toUpperCase()}`
  const { status, json } = await call(sandbox, path, { site })
  expect(status).toBe(200)
  return ['available', 'incoming', 'outgoing', 'withdrawable'].map((name) => Number(json[`${name}_balance`]))
}

const deposit = (over: Json = {}): Json => ({ account_number: '1234567', amount: '250.5', ...over })

test('the balance is five numbers, of AUD when no currency is named', async () => {
  const sandbox = await sandboxFor({ openingBalance: '1000.5' })
  const { text } = await call(sandbox, '/v2/balances/detail')
  expect(text).toBe(
    '{"available_balance":1000.5,"incoming_balance":0,"outgoing_balance":0,"rolling_reserve_balance":0,"withdrawable_balance":1000.5}',
  )
})

test('a deposit is incoming and available, at the site that asked for it alone', async () => {
  const sandbox = await sandboxFor({ openingBalance: '1000' })
  const { status, json } = await call(sandbox, '/v1/simulate_deposit', { body: deposit() })
  expect([status, json]).toEqual([200, { status: 'ok' }])
  expect(await balances(sandbox)).toEqual([1250.5, 250.5, 0, 1250.5])
  expect(await balances(sandbox, 'php')).toEqual([1000, 0, 0, 1000])
  expect(sandbox.control.state().deposits).toMatchObject([{ siteId: 'aud', currency: 'AUD', amount: '250.5' }])
})

test('payments move it when they are received, and back when they are refunded', async () => {
  const sandbox = await sandboxFor({ openingBalance: '1000', paceMs: PACE_MS })
  const { uuid } = await create(sandbox, '/v2/payins', aliasBody({ gst: true, amount: 100 }), 'aud')
  expect(await balances(sandbox)).toEqual([1000, 0, 0, 1000])
  await call(sandbox, '/v2/payins/simulate', { body: { uuid, status: 'completed' } })
  expect(await balances(sandbox)).toEqual([1110, 0, 0, 1110])
  await call(sandbox, '/v2/payins/refund', { body: { uuid, amount: 10, description: 'A part of it' } })
  expect(await balances(sandbox)).toEqual([1100, 0, 10, 1100])
  await sandbox.clock.advance(PACE_MS)
  expect(await balances(sandbox)).toEqual([1100, 0, 0, 1100])
  const link = await createLink(sandbox, { amount: 50 })
  await sandbox.control.setStatus(link, 'waiting')
  expect(await balances(sandbox)).toEqual([1100, 50, 0, 1100])
  await sandbox.control.setStatus(link, 'received')
  expect(await balances(sandbox)).toEqual([1150, 0, 0, 1150])
  await sandbox.control.setStatus(link, 'dispute_lost')
  expect(await balances(sandbox)).toEqual([1100, 0, 0, 1100])
})

test.each<[string, string, Json, string]>([
  ['no account', 'aud', deposit({ account_number: undefined }), 'account_number'],
  ['amount as a number', 'aud', deposit({ amount: 250 }), 'amount'],
  ['amount with an exponent', 'aud', deposit({ amount: '1e3' }), 'amount'],
  ['a fraction of a yen', 'jpy', deposit({ amount: '250.5' }), 'amount'],
  ['full-width katakana', 'jpy', deposit({ amount: '250', remitter_name: 'ヤマダ' }), 'remitter_name'],
])('a deposit with %s is answered 422 under the name of the field', async (_name, site, body, field) => {
  const { status, json } = await call(shared, '/v1/simulate_deposit', { site, body })
  expect(status).toBe(422)
  expect(json).toEqual({ errors: { [field]: expect.any(String) as string } })
})
