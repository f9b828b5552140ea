import type { Sandbox, SandboxOptions } from 'payments-subgraph-sandbox'
import { expect, test } from 'vitest'
import { create, payinBody } from './bodies.ts'
import { call, press, sandboxFor, startReceiver } from './support.ts'
import type { Receiver } from './support.ts'

type Json = Record<string, unknown>
type Begun = { sandbox: Sandbox; receiver: Receiver; json: Json; uuid: string; site: string }

async function begin(over: Json = {}, site = 'php', options: SandboxOptions = {}): Promise<Begun> {
  const sandbox = await sandboxFor(options)
  const receiver = await startReceiver()
  const webhook_notification = { endpoint_url: receiver.url, authorization_header: 'Bearer of-this-payin' }
  const json = await create(sandbox, '/v2/payins', payinBody({ webhook_notification, ...over }), site)
  return { sandbox, receiver, json, uuid: String(json['uuid']), site }
}

const detail = async ({ sandbox, uuid, site }: Begun): Promise<Json> =>
  (await call(sandbox, `/v2/payins/detail?uuid=${uuid}`, { site })).json

const simulate = async ({ sandbox, uuid, site }: Begun, over: Json = {}): Promise<{ status: number; text: string }> =>
  call(sandbox, '/v2/payins/simulate', { site, body: { uuid, status: 'completed', ...over } })

test('a payin waits for its payer until its time is over', async () => {
  const { sandbox, receiver } = await begin()
  await sandbox.clock.advance(50 * 60_000)
  expect(receiver.statuses()).toEqual(['pending'])
  await sandbox.clock.advance(10 * 60_000)
  expect(receiver.statuses()).toEqual(['pending', 'expired'])
})

test('a simulated amount is what is paid', async () => {
  const begun = await begin()
  await simulate(begun, { amount: 600.5 })
  expect(await detail(begun)).toMatchObject({ amount: '500.0', paid_amount: '600.5', stage: 'overpaid' })
})

test.each<[string, Json, string]>([
  ['an unknown uuid', { uuid: 'NOTHING1' }, 'php'],
  ['no uuid', { uuid: undefined }, 'php'],
  ['an unknown status', { status: 'received' }, 'php'],
  ['amount as a text', { amount: '500' }, 'php'],
  ['the credentials of another site', {}, 'aud'],
])('a simulation with %s is answered 400 without a body', async (_name, over, site) => {
  const begun = await begin()
  expect(await simulate({ ...begun, site }, over)).toMatchObject({ status: 400, text: '' })
  expect((await detail(begun))['status']).toBe('pending')
})

test('the payer pays on the page that redirect_url names', async () => {
  const { sandbox, receiver, json, uuid } = await begin()
  const { redirect_url: page } = json['pay_code'] as { redirect_url: string }
  const text = await (await fetch(page)).text()
  expect(text).toContain('Pay </span>500.00 <small>PHP</small>')
  expect(text).toMatch(/<button[^>]*>[^]*Pay 500.00 PHP<\/button>/)
  expect((await press(sandbox, uuid, 'pay')).json['status']).toBe('received')
  expect((await press(sandbox, uuid, 'pay')).status).toBe(409)
  await sandbox.settle()
  expect(receiver.statuses()).toEqual(['pending', 'received'])
})
