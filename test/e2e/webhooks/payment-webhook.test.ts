import { sign } from 'payments-subgraph-sandbox'
import { describe, expect, it } from 'vitest'
import { callbackAuthorization } from '../../../src/keys/derived-secrets.ts'
import { Secret } from '../../../src/keys/key-ring.ts'
import type { Store } from '../../../src/ledger/store.ts'
import { command, paymentOf, settledLink } from '../../store/contract/builders.ts'
import { ringOf } from '../../unit/keys/rings.ts'
import { openWebhookServer, RING, SECRET, type Sent } from './webhook-server.ts'

const BODY = '{"uuid":"PAY1","status":"received","amount":10.50,"currency":"AUD"}'
const LARGEST = 64 * 1024

/** Returns a JSON object of exactly `bytes` bytes. */
function bodyOf(bytes: number): string {
  return `${BODY.slice(0, -1)}${' '.repeat(bytes - BODY.length)}}`
}

async function deliveries(store: Store) {
  return (await store.inbox.page({ limit: 100, before: null }, {})).rows
}

describe('an authentic webhook', () => {
  it('is stored, applied, and answered with 200', async () => {
    const { store, send, readsDue } = await openWebhookServer()
    expect(await send({ body: BODY })).toBe(200)
    expect(await paymentOf(store)).toMatchObject({ status: 'received', details: { amount: '10.50', currency: 'AUD' } })
    expect(await deliveries(store)).toMatchObject([{ subjectId: 'PAY1', disposition: 'APPLIED', attempts: 1 }])
    expect(readsDue()).toBe(0)
  })

  // promise(facts): Fifty concurrent copies of a webhook are one delivery, fifty responses of 200, and one event.
  it('fifty times at once is one delivery and one event', async () => {
    const { store, send } = await openWebhookServer()
    const statuses = await Promise.all(Array.from({ length: 50 }, () => send({ body: BODY })))
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(await deliveries(store)).toMatchObject([{ attempts: 50 }])
    expect((await store.log.read(0, 10)).events.length).toBe(1)
  })

  it('that leaves doubt has a read made', async () => {
    const { send, readsDue } = await openWebhookServer()
    await send({ body: BODY.replace('received', 'failed') })
    expect(readsDue()).toBe(1)
  })

  it('that cannot be read is refused and kept, and has the link of its address read', async () => {
    const { store, send, readsDue } = await openWebhookServer()
    await settledLink(store, 'a')
    const headers = { authorization: callbackAuthorization(RING, 'payment', 'a') }
    expect(await send({ ref: 'a', body: BODY.slice(0, -1), headers })).toBe(400)
    expect(await deliveries(store)).toMatchObject([{ ref: 'a', subjectId: null, disposition: 'QUARANTINED' }])
    expect(readsDue()).toBe(1)
  })

  it('on the address of a link belongs to it, before the link is on record', async () => {
    const { store, send } = await openWebhookServer()
    await store.commands.begin(command('ref-1'))
    const authorization = callbackAuthorization(RING, 'payment', 'ref-1')
    expect(await send({ ref: 'ref-1', body: BODY, headers: { authorization } })).toBe(200)
    expect((await paymentOf(store)).linkRef).toBe('ref-1')
  })

  it.each<[string, NonNullable<Sent['headers']>]>([
    ['a signature of the other name', { 'http-webhook-signature': undefined, 'webhook-signature': sign(BODY, SECRET) }],
    ['the signature under an older secret', { 'http-webhook-signature': sign(BODY, 'older-secret') }],
    ['no content type', { 'content-type': undefined }],
    ['a charset', { 'content-type': 'Application/JSON ; charset=utf-8' }],
    ['a JSON type of its own', { 'content-type': 'application/vnd.service.v2+json' }],
    ...['text/json', 'application/x-www-form-urlencoded', ''].map((type): [string, NonNullable<Sent['headers']>] => [
      `the type ${JSON.stringify(type)}`,
      { 'content-type': type },
    ]),
    ...['Identity', '', 'utf-8', 'x-gzip', 'identity, br'].map((coding): [string, NonNullable<Sent['headers']>] => [
      `the content coding ${JSON.stringify(coding)}`,
      { 'content-encoding': coding },
    ]),
    ['no length', { 'content-length': undefined, 'transfer-encoding': 'chunked' }],
    ['an Authorization that nobody asked for', { authorization: 'Basic eDp5' }],
  ])('may have %s', async (_name, headers) => {
    const { send } = await openWebhookServer(({ secrets }) => ({ secrets: [...secrets, new Secret('older-secret')] }))
    expect(await send({ body: BODY, headers })).toBe(200)
  })

  it('may be as large as the limit', async () => {
    const { send } = await openWebhookServer()
    expect(await send({ body: bodyOf(LARGEST) })).toBe(200)
  })
})

describe('a refusal', () => {
  it('comes in the order of the checks, and leaves no trace', async () => {
    const { store, send } = await openWebhookServer()
    await store.commands.begin(command('ref-1'))
    const good = { authorization: callbackAuthorization(RING, 'payment', 'ref-1') }
    const large = bodyOf(LARGEST + 1)
    const bad = { authorization: 'Bearer no', 'http-webhook-signature': undefined }
    const steps: [number, Sent][] = [
      [405, { method: 'GET', ref: 'none', body: large, headers: bad }],
      [404, { ref: 'none', body: large, headers: bad }],
      [413, { ref: 'ref-1', body: large, headers: bad }],
      [401, { ref: 'ref-1', body: BODY, headers: bad }],
      [401, { ref: 'ref-1', body: BODY, headers: { ...good, 'http-webhook-signature': undefined } }],
    ]
    for (const [status, sent] of steps) expect(await send(sent)).toBe(status)
    expect(await deliveries(store)).toEqual([])
    expect(await send({ ref: 'ref-1', body: BODY, headers: good })).toBe(200)
  })

  it.each<[string, number, Sent]>([
    ['another method', 405, { method: 'PUT' }],
    ['an address that nobody was given', 404, { ref: 'unknown' }],
    ['an address that leads elsewhere', 404, { ref: '..%2F..%2Fgraphql' }],
    [
      'a body that is too large by count',
      413,
      { body: bodyOf(LARGEST + 1), headers: { 'content-length': undefined, 'transfer-encoding': 'chunked' } },
    ],
    ['no signature', 401, { headers: { 'http-webhook-signature': undefined } }],
    ['two signatures', 401, { headers: { 'http-webhook-signature': [sign(BODY, SECRET), sign(BODY, SECRET)] } }],
    ['the signature of another secret', 401, { headers: { 'http-webhook-signature': sign(BODY, 'another') } }],
    ['the signature of another body', 401, { headers: { 'http-webhook-signature': sign(`${BODY} `, SECRET) } }],
  ])('of %s is %d', async (_name, status, sent) => {
    const { store, send } = await openWebhookServer()
    expect(await send({ body: BODY, ...sent })).toBe(status)
    expect(await deliveries(store)).toEqual([])
  })

  // promise(webhooks): A webhook to the URL of a command also needs the secret of that URL.
  it('of an address goes by the keys that are live, and by the address', async () => {
    const keys = ringOf('b', 'a')
    const { store, send } = await openWebhookServer(() => ({ keys }))
    await store.commands.begin(command('ref-1'))
    await store.commands.begin(command('ref-2'))
    const status = (authorization: string) => send({ ref: 'ref-1', body: BODY, headers: { authorization } })
    expect(await status(callbackAuthorization(ringOf('c'), 'payment', 'ref-1'))).toBe(401)
    expect(await status(callbackAuthorization(keys, 'payment', 'ref-2'))).toBe(401)
    expect(await status(callbackAuthorization(keys, 'agreement', 'ref-1'))).toBe(401)
    expect(await status('')).toBe(401)
    expect(await send({ ref: 'ref-1', body: BODY })).toBe(401)
    expect(await status(callbackAuthorization(ringOf('a'), 'payment', 'ref-1'))).toBe(200)
    expect(await status(callbackAuthorization(keys, 'payment', 'ref-1'))).toBe(200)
  })
})

describe('a handler that cannot store', () => {
  it('answers 503 while too many are under way, also when all of them had begun before', async () => {
    const gate = Promise.withResolvers<void>()
    const entered = Promise.withResolvers<void>()
    const bodies = Promise.withResolvers<void>()
    let waiting = 0
    const { send, store, requests } = await openWebhookServer(({ inbox }) => ({
      maxInFlight: 3,
      inbox: {
        ...inbox,
        async receive(delivery) {
          if (++waiting === 3) entered.resolve()
          await gate.promise
          return inbox.receive(delivery)
        },
      },
    }))
    const body = (index: number) => BODY.replace('PAY1', `P${index}`)
    const held = Array.from({ length: 8 }, (_, index) => send({ body: body(index), bodyAfter: bodies.promise }))
    await requests(8)
    bodies.resolve()
    await entered.promise
    expect(await send({ body: body(8) })).toBe(503)
    expect(await send({ body: body(9), method: 'GET' })).toBe(503)
    expect(waiting).toBe(3)
    gate.resolve()
    const statuses = await Promise.all(held)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 503, 503, 503, 503, 503])
    expect(await deliveries(store)).toHaveLength(3)
    expect(await send({ body: body(8) })).toBe(200)
  })

  it.each([null, 'ref-1'])('answers 503 when the store fails, at the address %s', async (ref) => {
    const { store, send, destroyStore, responses } = await openWebhookServer()
    await store.commands.begin(command('ref-1'))
    await destroyStore()
    const headers = { authorization: callbackAuthorization(RING, 'payment', 'ref-1') }
    expect(await send({ ref, body: BODY, headers })).toBe(503)
    const isUnread = ref !== null
    expect(responses).toEqual([{ status: 503, outcome: null, reason: 'fault', isAuthentic: !isUnread, isUnread }])
  })
})
