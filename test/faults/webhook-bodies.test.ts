import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { defaultAddress, deliver, deliveries } from '../support/webhooks.ts'
import { endOfLog, expectCleanPrototypes, replayAfter, shown } from './views.ts'

const LARGEST = 64 * 1024

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

/** Names that a careless mapping of names to values mishandles. */
const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'toJSON',
  'then',
  'length',
  '',
  ' ',
]

const json = (members: string) => `{"uuid":"UUID","status":"received","currency":"AUD","amount":10.50${members}}`

/** Signed bodies with unusual values in fields that clients see; UUID is replaced by a new id. */
const ODD: [string, string][] = [
  ['halves of surrogate pairs', json(',"external_id":"\\ud800","payment_method":"\\udfff","email":"a\\ud83d"')],
  ['NUL in every text', json(',"external_id":"\\u0000","payment_method":"\\u0000_\\u0000","name":"a\\u0000b"')],
  ['halves of pairs and NUL in what is shown', json(',"pay_code":{"a\\ud800":"\\udc00","b\\u0000":"\\u0000c"}')],
  ...NAMES.map((name): [string, string] => [
    `the key ${JSON.stringify(name)} everywhere`,
    json(
      ['', ',"pay_code":', ',"sender_details":', ',"refund_information":', ',"transaction_info":', ',"metadata":']
        .map(
          (section) =>
            `${section || ','}${section === '' ? '' : '{'}${JSON.stringify(name)}:{"polluted":1,"uuid":"EVIL"}${section === '' ? '' : '}'}`,
        )
        .join(''),
    ),
  ]),
  ['keys that come twice', `{"uuid":"OTHER","status":"pending","amount":1,"amount":{},${json('').slice(1)}`],
  ['numbers beyond every float', json(',"total":1e400,"paid_amount":-1e400,"pay_code":{"a":1e400,"b":[-1e999]}')],
  ['numbers of 20,000 digits', json(`,"total":${'9'.repeat(20_000)},"pay_code":{"a":0.${'1'.repeat(20_000)}}`)],
  ['deep instructions', json(`,"pay_code":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`)],
  ['lists in instructions', json(`,"pay_code":{"a":${'['.repeat(3_000)}${']'.repeat(3_000)}}`)],
  [
    'instructions that would be links',
    json(',"pay_code":{"3ds_url":"javascript:alert(1)","redirect_url":"data:text/html,x"}'),
  ],
  [
    'dates that no calendar has',
    json(',"expired_at":"2026-02-30T25:61:61Z","created_at":"+275760-09-13T00:00:00.001Z"'),
  ],
  [
    'a date at the end of time',
    json(',"expired_at":"9999-12-31T23:59:59.999999999-1400","created_at":"0000-01-01T00:00:00+1400"'),
  ],
  [
    'a card that is none',
    json(',"sender_details":{"card":{"card_last_4":4242,"card_brand":["visa"],"card_type":null}}'),
  ],
]

// promise(webhooks): An authentic webhook is recorded whatever its content, and does no harm.
describe('an odd body', () => {
  it.each(ODD)('with %s is kept, and nothing that is read of it fails', async (_what, text) => {
    const id = randomUUID()
    const before = await endOfLog(network)
    const reply = await deliver(defaultAddress(network), text.replaceAll('UUID', id))
    expect([200, 400]).toContain(reply.status)
    expectCleanPrototypes()
    const taken = reply.status === 200
    expect((await shown(network, id))?.status).toBe(taken ? 'RECEIVED' : undefined)
    expect(await replayAfter(network, before)).toEqual(new Set(taken ? [id] : []))
    expect((await deliveries(network))[0]?.disposition).toBe(taken ? 'APPLIED' : 'QUARANTINED')
  })

  it.each<[string, (room: number) => string]>([
    [
      'keys',
      (room) =>
        Array.from(
          { length: Math.floor(room / 12) },
          (_, index) => `,"k${index.toString(36).padStart(5, '0')}":1`,
        ).join(''),
    ],
    ['keys of one name', (room) => ',"amount":1'.repeat(Math.floor(room / 11))],
    ['numbers', (room) => `,"a":[${'1,'.repeat(Math.floor(room / 2) - 10)}1]`],
    [
      'instructions',
      (room) =>
        `,"pay_code":{${Array.from({ length: Math.floor(room / 12) - 3 }, (_, index) => `"k${index.toString(36).padStart(5, '0')}":1`).join(',')}}`,
    ],
    [
      'keys that look like places in a list',
      (room) =>
        Array.from({ length: Math.floor(room / 18) }, (_, index) => `,"${4_294_967_290 - 7 * index}":1`).join(''),
    ],
    ['escapes', (room) => `,"external_id":"${'\\u0000'.repeat(Math.floor(room / 6) - 10)}"`],
  ])('as full of %s as there is room for is kept', async (_what, filled) => {
    const ids = Array.from({ length: 10 }, () => randomUUID())
    for (const id of ids) {
      const body = json(filled(LARGEST - json('').length - id.length)).replace('UUID', id)
      expect(body.length).toBeGreaterThan(LARGEST * 0.8)
      expect((await deliver(defaultAddress(network), body)).status).toBe(200)
    }
    for (const id of ids) expect((await shown(network, id))?.status).toBe('RECEIVED')
  })
})
