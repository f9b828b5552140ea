import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { expect, onTestFinished, test, vi } from 'vitest'
import { verify } from '../../../src/webhooks/signature.ts'
import { call, control, createLink, press, sandboxFor, startReceiver } from './support.ts'

const MINUTE_MS = 60_000

// promise(outgoing): The sandbox sends webhooks only to this machine and configured hosts.
test('a card payment sends four signed webhooks in order, with the Authorization of the link', async () => {
  const sandbox = await sandboxFor()
  const receiver = await startReceiver()
  const notification = { endpoint_url: receiver.url, authorization_header: 'Bearer of-this-link' }
  const uuid = await createLink(sandbox, { webhook_notification: notification, payin_method_code: 'au_card_aud' })
  expect((await press(sandbox, uuid, 'pay')).json['status']).toBe('pending')
  await sandbox.clock.advance(1200)

  expect(receiver.statuses()).toEqual(['pending', 'authorised', 'waiting', 'received'])
  for (const { headers, body } of receiver.received) {
    expect(verify(body, headers['http-webhook-signature'] as string, [sandbox.webhookSecret])).toBe(true)
    expect(headers.authorization).toBe('Bearer of-this-link')
    expect(headers['content-type']).toBe('application/json')
  }
  const [first] = receiver.received
  expect(first?.json).toMatchObject({
    name: 'Ada Payer',
    email: 'ada@example.test',
    currency: 'AUD',
    amount: '125.5',
    total: '125.5',
    paid_amount: '0.0',
    payment_method: 'card',
    pay_code: null,
    webhook_notification: { endpoint_url: receiver.url, authorization_header: '****' },
    sender_details: { card: { card_brand: 'visa', card_last_4: '4242', card_country: 'AU' } },
  })
  expect(first?.json['uuid']).not.toBe(uuid)
  expect(new Set(receiver.received.map(({ json }) => json['uuid'])).size).toBe(1)
  expect(receiver.received[3]?.json['paid_amount']).toBe('125.5')
})

test('without an address of the link the default one is used, and without both nothing is sent', async () => {
  const receiver = await startReceiver()
  const registered = await sandboxFor({
    defaultWebhook: { endpointUrl: receiver.url, authorizationHeader: 'Bearer d' },
  })
  await press(registered, await createLink(registered), 'pay')
  await registered.settle()
  expect(receiver.received[0]?.headers.authorization).toBe('Bearer d')

  const silent = await sandboxFor()
  await press(silent, await createLink(silent), 'pay')
  await silent.clock.advance(1200)
  expect(silent.control.webhooks()).toEqual([])
  expect(silent.control.state().links[0]?.status).toBe('received')
})

test.each([500, 201, 204, 307])(
  'an answer of %i is tried again after 15, 30 and 45 minutes, then given up',
  async (status) => {
    const sandbox = await sandboxFor()
    const receiver = await startReceiver()
    receiver.answer(status, { location: `${receiver.url}/elsewhere` })
    const uuid = await createLink(sandbox, { webhook_notification: { endpoint_url: receiver.url }, expires_in: 36_000 })
    await sandbox.control.setStatus(uuid, 'pending')
    for (const [before, after] of [[1, 2] as const, [2, 3] as const, [3, 4] as const, [4, 4] as const]) {
      await sandbox.clock.advance(14 * MINUTE_MS)
      expect(receiver.received).toHaveLength(before)
      await sandbox.clock.advance(MINUTE_MS)
      expect(receiver.received).toHaveLength(after)
    }
    const [record] = sandbox.control.webhooks()
    expect(record?.outcome).toBe('given_up')
    expect(record?.attempts.map((attempt) => attempt.status)).toEqual([status, status, status, status])
    const times = record?.attempts.map(({ at }) => Date.parse(at)) ?? []
    expect(times.slice(1).map((at, index) => Math.round((at - (times[index] ?? 0)) / MINUTE_MS))).toEqual([15, 15, 15])
    expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(1)
  },
)

test('a receiver that is away is a failed try, and a failed webhook holds nothing up', async () => {
  const sandbox = await sandboxFor()
  const receiver = await startReceiver()
  receiver.answer(503)
  const uuid = await createLink(sandbox, { webhook_notification: { endpoint_url: receiver.url } })
  await press(sandbox, uuid, 'pay')
  await sandbox.settle()
  receiver.answer(200)
  await sandbox.clock.advance(1200)
  expect(receiver.statuses()).toEqual(['pending', 'authorised', 'waiting', 'received'])
  await sandbox.clock.advance(15 * MINUTE_MS)
  expect(receiver.statuses()).toEqual(['pending', 'authorised', 'waiting', 'received', 'pending'])

  const lost = await createLink(sandbox, { webhook_notification: { endpoint_url: 'http://127.0.0.1:9/' } })
  await sandbox.control.setStatus(lost, 'received')
  expect(sandbox.control.webhooks().at(-1)).toMatchObject({
    outcome: 'retrying',
    attempts: [{ error: 'ECONNREFUSED' }],
  })
})

test('forged carries a signature of another secret', async () => {
  const sandbox = await sandboxFor()
  const receiver = await startReceiver()
  const uuid = await createLink(sandbox, { webhook_notification: { endpoint_url: receiver.url } })
  await sandbox.control.setStatus(uuid, 'pending')
  receiver.answer(401)
  const last = await control(sandbox, `/links/${uuid}/deliveries`, { kind: 'forged' })
  const made = await control(sandbox, `/links/${uuid}/deliveries`, { kind: 'forged', status: 'received' })
  expect([last.json['deliveries'], made.json['deliveries']]).toMatchObject([[{ status: 401 }], [{ status: 401 }]])
  expect(receiver.statuses()).toEqual(['pending', 'pending', 'received'])
  for (const { body, headers } of receiver.received.slice(1)) {
    expect(verify(body, headers['http-webhook-signature'] as string, [sandbox.webhookSecret])).toBe(false)
  }
  await sandbox.clock.advance(15 * MINUTE_MS)
  expect(receiver.received).toHaveLength(3)
})

test('the nested form has the keys of the older generation, and both uuids', async () => {
  const sandbox = await sandboxFor({ webhookForm: 'nested' })
  const receiver = await startReceiver()
  const uuid = await createLink(sandbox, {
    amount: 100,
    webhook_notification: { endpoint_url: receiver.url },
    meta_data: { external_id: 'order-7' },
    payin_method_code: 'au_card_aud',
  })
  await sandbox.control.setStatus(uuid, 'received')
  const [webhook] = receiver.received
  expect(webhook?.json).toMatchObject({
    uuid,
    payin_method_code: 'au_card_aud',
    payment_link_url: `${sandbox.origin}/checkout/${uuid}`,
    meta_data: { external_id: 'order-7' },
    transaction_info: { currency: 'AUD', status: 'received', total: 100, paid_amount: 100 },
  })
  expect(webhook?.body.toString()).toContain('"amount":100,')
  const { json } = await call(sandbox, `/v3/payin_links/${uuid}`)
  expect(json).toEqual(webhook?.json)
  expect((json['transaction_info'] as Record<string, unknown>)['uuid']).not.toBe(uuid)
})

/** Lets every name resolve to these addresses. */
function resolveTo(addresses: readonly string[]): void {
  const answer = addresses.map((address) => ({ address, family: 4 }))
  const lookup = vi
    .spyOn(dns, 'lookup')
    .mockImplementation(((_name: string, _options: object, done: Done) => done(null, answer)) as typeof dns.lookup)
  syncBuiltinESMExports()
  onTestFinished(() => {
    lookup.mockRestore()
    syncBuiltinESMExports()
  })
}

type Done = (error: null, addresses: readonly dns.LookupAddress[]) => void

test.each([
  ['an address elsewhere', 'http://192.0.2.7/', []],
  ['the same as a number', 'http://3221225991/', []],
  ['the same in IPv6', 'http://[::ffff:192.0.2.7]/', []],
  ['the metadata of a cloud', 'http://169.254.169.254/', []],
  ['a name that leads elsewhere', 'https://rebound.example.test/', ['192.0.2.7']],
  ['a loopback name that leads elsewhere', 'http://shop.localhost/', ['10.0.0.1', '192.0.2.7']],
])('a webhook to %s is not sent', async (_what, url, addresses) => {
  const sandbox = await sandboxFor({ allowedHosts: ['pay.example.test'] })
  resolveTo(addresses)
  const uuid = await createLink(sandbox, { webhook_notification: { endpoint_url: url } })
  await sandbox.control.setStatus(uuid, 'pending')
  const [{ attempts } = { attempts: [] }] = sandbox.control.webhooks()
  expect(attempts).toMatchObject([{ error: 'HOST_NOT_ALLOWED' }])
})

test.each([
  ['a name of this machine', {}, ['192.0.2.7', '127.0.0.1'], 'rebound.example.test'],
  ['a host that is configured', { allowedHosts: ['Pay.example.test'] }, ['127.0.0.1'], 'pay.example.test'],
])('a webhook to %s is sent', async (_what, options, addresses, name) => {
  const sandbox = await sandboxFor(options)
  const receiver = await startReceiver()
  resolveTo(addresses)
  const url = receiver.url.replace('127.0.0.1', name)
  const uuid = await createLink(sandbox, { webhook_notification: { endpoint_url: url } })
  await sandbox.control.setStatus(uuid, 'pending')
  expect(receiver.statuses()).toEqual(['pending'])
})
