import type { Sandbox, SandboxOptions } from 'payments-subgraph-sandbox'
import { expect, test } from 'vitest'
import { verify } from '../../../src/webhooks/signature.ts'
import { aliasBody, create, payinBody } from './bodies.ts'
import { call, control, createLink, press, sandboxFor, startReceiver } from './support.ts'
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

const alias = (over: Json = {}, options: SandboxOptions = {}): Promise<Begun> => {
  const { currency, payin_method_name, payin_method_params } = aliasBody()
  return begin({ currency, payin_method_name, payin_method_params, ...over }, 'aud', options)
}

const detail = async ({ sandbox, uuid, site }: Begun): Promise<Json> =>
  (await call(sandbox, `/v2/payins/detail?uuid=${uuid}`, { site })).json

const simulate = async ({ sandbox, uuid, site }: Begun, over: Json = {}): Promise<{ status: number; text: string }> =>
  call(sandbox, '/v2/payins/simulate', { site, body: { uuid, status: 'completed', ...over } })

test('a pending payin is cancelled once, and a paid one is not', async () => {
  const begun = await begin()
  const cancel = ({ uuid }: Begun) => call(begun.sandbox, '/v2/payins/cancel', { site: 'php', body: { uuid } })
  expect(await cancel(begun)).toMatchObject({ status: 200, json: { status: 'ok' } })
  expect(await detail(begun)).toMatchObject({ status: 'expired' })
  await begun.sandbox.settle()
  expect(begun.receiver.statuses().at(-1)).toBe('expired')
  expect(await cancel(begun)).toMatchObject({ status: 422 })
  expect(await cancel({ ...begun, uuid: 'NOTHING' })).toMatchObject({ status: 422 })
})

test('a creation is answered with the record, and a pending webhook tells of it', async () => {
  const begun = await begin({ external_id: 'order-7', description: 'Two tickets', metadata: { a: 1.5 } })
  const { sandbox, receiver, json, uuid } = begun
  expect(uuid).toMatch(/^[A-Z0-9]{8}$/)
  expect(json).toMatchObject({
    name: 'Ada Payer',
    email: 'ada@example.test',
    external_id: 'order-7',
    status: 'pending',
    currency: 'PHP',
    gst: false,
    amount: '500.0',
    gst_amount: '0.0',
    total: '500.0',
    paid_amount: '0.0',
    pay_code: { redirect_url: `${sandbox.origin}/checkout/${uuid}` },
    payment_method: 'ph_bank_maya_php',
    description: 'Two tickets',
    is_refundable: false,
    metadata: { a: 1.5 },
    webhook_notification: { endpoint_url: receiver.url, authorization_header: '****' },
  })
  expect(json['pay_by']).toBe(json['expired_at'])
  expect(await detail(begun)).toEqual(json)
  await sandbox.settle()
  const [webhook] = receiver.received
  expect(webhook?.json).toMatchObject({ uuid, status: 'pending', name: 'Ada Payer', external_id: 'order-7' })
  expect(webhook?.headers.authorization).toBe('Bearer of-this-payin')
  const signature = webhook?.headers['http-webhook-signature'] as string
  expect(verify(webhook?.body ?? Buffer.alloc(0), signature, [sandbox.webhookSecret])).toBe(true)
})

test('a payin waits for its payer until its time is over', async () => {
  const { sandbox, receiver } = await begin()
  await sandbox.clock.advance(50 * 60_000)
  expect(receiver.statuses()).toEqual(['pending'])
  await sandbox.clock.advance(10 * 60_000)
  expect(receiver.statuses()).toEqual(['pending', 'expired'])
})

test('with gst the total is a tenth higher, and that is what is paid and refunded', async () => {
  const begun = await alias({ gst: true, amount: 1000.05 })
  expect(begun.json).toMatchObject({ amount: '1000.05', gst: true, gst_amount: '100.01', total: '1100.06' })
  await simulate(begun)
  await begun.sandbox.settle()
  expect(begun.receiver.received.at(-1)?.json).toMatchObject({ total: '1100.06', paid_amount: '1100.06' })
  const body = { uuid: begun.uuid, description: 'Goods returned' }
  const { json } = await call(begun.sandbox, '/v2/payins/refund', { body })
  expect(json).toMatchObject({ total_amount: '1100.06', refund_amount: '1100.06' })
})

test.each<[string, string, Json, Json]>([
  ['qr', 'idr', { payin_method_name: 'id_bank_qris_idr', amount: 20_000 }, { qr_string: expect.any(String) as string }],
  [
    'bank',
    'krw',
    { payin_method_name: 'kr_bank_krw', amount: 20_000, payin_method_params: { user_name: 'ada' } },
    { bank_name: expect.any(String) as string, account_number: expect.stringMatching(/^\d+$/) as string },
  ],
  ['card', 'usd', { payin_method_name: 'us_card_usd' }, { '3ds_url': expect.stringMatching(/\/3ds$/) as string }],
  ['wallet', 'php', { payin_method_name: 'ph_ewallet_gcash_php' }, { redirect_url: expect.any(String) as string }],
])('the pay_code of a %s method comes with the answer', async (_name, site, over, payCode) => {
  const { json } = await begin({ currency: site.toUpperCase(), ...over }, site)
  expect(json['pay_code']).toMatchObject(payCode)
})

const JPY = {
  currency: 'JPY',
  amount: 5000,
  payin_method_name: 'jp_bank_jpy',
  payin_method_params: { user_id: 'u', user_name: 'ada', first_name: 'エイダ', last_name: 'ペイヤー' },
}
const JPY_KEYS =
  'account_name account_number account_type bank_name branch_code branch_name expired_timestamp transfer_id transfer_name'

test.each<[string, () => Promise<Begun>, string]>([
  ['jp_bank_jpy', () => begin(JPY, 'jpy'), JPY_KEYS],
  ['the AUD alias', () => alias(), 'payment_url'],
])('the pay_code of %s comes late, by a webhook while still pending', async (_name, start, keys) => {
  const begun = await start()
  expect(begun.json['pay_code']).toBe(null)
  await begun.sandbox.clock.advance(400)
  expect(begun.receiver.statuses()).toEqual(['pending', 'pending'])
  const late = begun.receiver.received[1]?.json['pay_code'] as Json
  expect(Object.keys(late).sort()).toEqual(keys.split(' '))
  expect((await detail(begun))['pay_code']).toEqual(late)
})

test('a payin that is paid at once gets no late pay_code', async () => {
  const begun = await alias({}, { paceMs: 30_000 })
  await simulate(begun)
  await begun.sandbox.clock.advance(60_000)
  expect(begun.receiver.statuses()).toEqual(['pending', 'received'])
})

test.each<[string, string, Json | null]>([
  ['completed', 'received', null],
  ['failed', 'failed', { error_code: 'generic_declined', error_message: expect.any(String) as string }],
])('the simulation %s ends in %s, and cannot be repeated', async (status, ends, payCode) => {
  const begun = await begin()
  expect(await simulate(begun, { status })).toMatchObject({ status: 200, text: '{"status":"ok"}' })
  await begun.sandbox.settle()
  expect(begun.receiver.statuses()).toEqual(['pending', ends])
  expect(await simulate(begun, { status })).toMatchObject({ status: 400, text: '' })
  expect((await detail(begun))['pay_code']).toEqual(payCode)
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

test('the pending payment of a link can be simulated, too', async () => {
  const sandbox = await sandboxFor()
  const link = await createLink(sandbox, { amount: 333.33 })
  const { json } = await press(sandbox, link, 'pay', { method_code: 'au_card_aud' })
  const body = { uuid: json['payment_uuid'], status: 'completed' }
  expect((await call(sandbox, '/v2/payins/simulate', { body })).status).toBe(200)
  expect((await call(sandbox, `/v3/payin_links/${link}`)).json['status']).toBe('received')
})

test('the payer pays on the page that redirect_url names', async () => {
  const { sandbox, receiver, json, uuid } = await begin()
  const { redirect_url: page } = json['pay_code'] as { redirect_url: string }
  const text = await (await fetch(page)).text()
  expect(text).toContain('<h1>Pay 500.00 PHP</h1>')
  expect(text).toMatch(/<button>Pay<\/button>/)
  expect((await press(sandbox, uuid, 'pay')).json['status']).toBe('received')
  expect((await press(sandbox, uuid, 'pay')).status).toBe(409)
  await sandbox.settle()
  expect(receiver.statuses()).toEqual(['pending', 'received'])
})

test('a card goes through 3DS to received, with its token on the way', async () => {
  const { sandbox, receiver, uuid } = await begin({ currency: 'USD', payin_method_name: 'us_card_usd' }, 'usd')
  await press(sandbox, uuid, '3ds', { result: 'complete' })
  await sandbox.clock.advance(800)
  expect(receiver.statuses()).toEqual(['pending', 'authorised', 'waiting', 'received'])
  expect(receiver.received.map(({ json }) => 'token' in json)).toEqual([false, true, true, false])
})

test('mobile money fails when the prompt is ignored', async () => {
  const params = { payin_method_name: 'ke_mobile_money_kes', payin_method_params: { phone: '+254712345678' } }
  const { sandbox, receiver } = await begin({ currency: 'KES', ...params }, 'kes')
  await sandbox.clock.advance(5 * 60_000)
  expect(receiver.statuses()).toEqual(['pending', 'failed'])
})

test.each<[string, Json]>([
  ['last name', { name: 'Ada insufficient_funds' }],
  ['amount', { amount: 666.25 }],
])('the magic %s fails by itself', async (_name, over) => {
  for (const begun of [await begin(over), await alias(over)]) {
    await begun.sandbox.clock.advance(800)
    expect(begun.receiver.received.at(-1)?.json).toMatchObject({
      status: 'failed',
      pay_code: { error_code: 'insufficient_funds' },
    })
  }
})

test.each(['', '?uuid=', '?uuid=NOTHING1'])('the detail%s is answered 400 without a body', async (query) => {
  const { sandbox } = await begin()
  expect(await call(sandbox, `/v2/payins/detail${query}`, { site: 'php' })).toMatchObject({ status: 400, text: '' })
})

test('neither payins and links nor the sites are mixed up', async () => {
  const begun = await alias()
  const { sandbox, uuid } = begun
  const link = await createLink(sandbox)
  expect((await call(sandbox, `/v2/payins/detail?uuid=${link}`)).status).toBe(400)
  expect((await call(sandbox, `/v3/payin_links/${uuid}`)).status).toBe(404)
  expect((await call(sandbox, `/v2/payins/detail?uuid=${uuid}`, { site: 'php' })).status).toBe(400)
  expect((await call(sandbox, '/v3/payin_links')).json['total']).toBe(1)
  expect((await call(sandbox, '/v2/payins/all')).json['total']).toBe(1)
  expect((await call(sandbox, '/v2/payins/all', { site: 'php' })).json['total']).toBe(0)
})

test('the list pages through the payins, newest first, and takes a range', async () => {
  const sandbox = await sandboxFor({ startAt: new Date('2026-03-01T10:00:00Z') })
  const uuids: unknown[] = []
  for (let day = 0; day < 3; day += 1) {
    uuids.unshift((await create(sandbox, '/v2/payins', payinBody()))['uuid'])
    await sandbox.clock.advance(86_400_000)
  }
  const list = async (query: string): Promise<Json> =>
    (await call(sandbox, `/v2/payins/all${query}`, { site: 'php' })).json
  const all = await list('')
  expect(all).toMatchObject({ page: 1, per_page: 20, total: 3, total_page: 1 })
  expect((all['records'] as Json[]).map(({ uuid }) => uuid)).toEqual(uuids)
  expect(await list('?page=2&per_page=2')).toMatchObject({ total_page: 2, records: [{ uuid: uuids[2] }] })
  expect(await list('?from_date=03/03/26')).toMatchObject({ total: 1, records: [{ uuid: uuids[0] }] })
  expect(await list('?to_date=2026-03-01T23:00:00')).toMatchObject({ total: 1, records: [{ uuid: uuids[2] }] })
})

test.each(['page=0', 'per_page=x', 'from_date=yesterday', 'from_date=31/02/26'])(
  'the list query %s is answered 400 without a body',
  async (query) => {
    const { sandbox } = await begin()
    expect(await call(sandbox, `/v2/payins/all?${query}`, { site: 'php' })).toMatchObject({ status: 400, text: '' })
  },
)

test('the control endpoints show payins and set their status', async () => {
  const { sandbox, receiver, uuid } = await begin({ external_id: 'order-7' })
  await control(sandbox, `/payins/${uuid}/status`, { status: 'in_dispute' })
  await control(sandbox, `/payins/${uuid}/deliveries`, { kind: 'late', status: 'received' })
  expect(receiver.statuses()).toEqual(['pending', 'in_dispute', 'received'])
  const { json } = await control(sandbox, '/state')
  expect(json['payins']).toMatchObject([{ uuid, status: 'in_dispute', total: '500', externalId: 'order-7' }])
  expect(json['links']).toEqual([])
  expect(JSON.stringify(json)).not.toContain('Ada')
})
