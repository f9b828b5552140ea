import { randomUUID } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sign } from '../../src/webhooks/signature.ts'
import { SECRETS, startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { addressOf, defaultAddress, deliveries, deliver, paymentBody, send, type Reply } from '../support/webhooks.ts'
import { rounds } from './rounds.ts'

const BODY = paymentBody({ uuid: randomUUID(), status: 'received' })
const RIGHT = sign(BODY, SECRETS.webhook)
const HEX = '0123456789abcdef'.split('')

let network: Network
let addresses: { url: string; authorization: string | undefined }[]
beforeAll(async () => {
  network = await startNetwork()
  const link = await addressOf(network, await createLink(network))
  addresses = [link, { url: defaultAddress(network), authorization: undefined }]
})
afterAll(() => network.close())

type Forgery = { readonly signature?: string | readonly string[]; readonly more?: OutgoingHttpHeaders }

const at = fc.nat(RIGHT.length - 1)
const hexOf = (length: number) => fc.string({ unit: fc.constantFrom(...HEX), minLength: length, maxLength: length })
/** Characters that a header can contain and that are not hexadecimal digits. */
const other = fc.constantFrom(
  ...'ghzGZ!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~ \t\u00a0\u00b2\u00b9\u00df\u00e9\u00ff'.split(''),
)
const put = (position: number, text: string, over: number) =>
  RIGHT.slice(0, position) + text + RIGHT.slice(position + over)

/** Wrong signatures, by how an attacker or a careless library would produce them. */
const FORGERIES: Readonly<Record<string, fc.Arbitrary<Forgery>>> = {
  'one digit changed': fc
    .tuple(at, fc.constantFrom(...HEX))
    .filter(([position, digit]) => RIGHT[position] !== digit)
    .map(([position, digit]) => ({ signature: put(position, digit, 1) })),
  'any digits': hexOf(64).map((signature) => ({ signature })),
  'too short': fc
    .tuple(at, at)
    .map(([one, two]) => ({ signature: RIGHT.slice(Math.min(one, two), Math.max(one, two)) })),
  'too long': fc
    .tuple(fc.boolean(), fc.integer({ min: 1, max: 64 }).chain(hexOf))
    .map(([before, more]) => ({ signature: before ? more + RIGHT : RIGHT + more })),
  'no digit in one place': fc
    .tuple(at, other)
    .filter(([position, char]) => position > 0 && position < RIGHT.length - 1 && char !== '')
    .map(([position, char]) => ({ signature: put(position, char, 1) })),
  'something between the digits': fc
    .tuple(fc.integer({ min: 1, max: 63 }), other)
    .map(([position, char]) => ({ signature: put(position, char, 0) })),
  padded: fc
    .constantFrom('"', "'", '=', ',', ';', '0', '<>', '()', '0x', '%20', '\\n', 'null')
    .chain((pad) => fc.constantFrom(pad + RIGHT, RIGHT + pad, pad + RIGHT + pad))
    .map((signature) => ({ signature })),
  'under another scheme': fc
    .constantFrom(
      'sha1=',
      'sha512=',
      'sha256:',
      'sha-256=',
      'sha256 ',
      'sha256==',
      'sha256=sha256=',
      'v1=',
      't=1,v1=',
      '=',
    )
    .map((scheme) => ({ signature: scheme + RIGHT })),
  'in another form': fc
    .constantFrom('base64', 'base64url', 'latin1')
    .map((form) =>
      Buffer.from(RIGHT, 'hex')
        .toString(form)
        .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '.'),
    )
    .map((signature) => ({ signature })),
  'repeated in one header': fc
    .tuple(fc.constantFrom(',', ', ', ';', ' ', '\t', '|', ''), hexOf(64))
    .chain(([between, wrong]) =>
      fc.shuffledSubarray([RIGHT, RIGHT, wrong], { minLength: 2 }).map((all) => all.join(between)),
    )
    .map((signature) => ({ signature })),
  'in several headers': fc
    .tuple(hexOf(64), fc.integer({ min: 2, max: 4 }))
    .chain(([wrong, count]) => fc.array(fc.constantFrom(RIGHT, wrong, ''), { minLength: count, maxLength: count }))
    .map((signature) => ({ signature })),
  'like a list': fc
    .constantFrom(
      `["${RIGHT}"]`,
      `[${RIGHT}]`,
      `{"0":"${RIGHT}"}`,
      `0=${RIGHT}`,
      '[object Object]',
      'undefined',
      'true',
    )
    .map((signature) => ({ signature })),
  'under another name': fc
    .constantFrom(
      'x-webhook-signature',
      'http_webhook_signature',
      'signature',
      'http-webhook-signature-0',
      'x-hub-signature-256',
    )
    .map((name) => ({ more: { [name]: RIGHT } })),
  'of another secret': fc
    .string({ minLength: 1 })
    .filter((secret) => secret !== SECRETS.webhook)
    .map((secret) => ({ signature: sign(BODY, secret) })),
  'of another body': fc
    .uint8Array()
    .filter((bytes) => !Buffer.from(bytes).equals(Buffer.from(BODY)))
    .map((bytes) => ({ signature: sign(bytes, SECRETS.webhook) })),
  'of any text': fc
    .string({
      unit: fc
        .integer({ min: 0x20, max: 0xff })
        .filter((code) => code !== 0x7f)
        .map((code) => String.fromCharCode(code)),
      maxLength: 300,
    })
    .map((signature) => ({ signature })),
  absent: fc.constant({}),
}

async function answersTo(forgeries: readonly Forgery[], body: string | Buffer = BODY): Promise<Reply[]> {
  const replies: Reply[] = []
  for (let next = 0; next < forgeries.length; next += 20) {
    const together = forgeries.slice(next, next + 20).map(({ signature, more = {} }, index) => {
      const { url, authorization } = addresses[index % addresses.length] ?? { url: '', authorization: undefined }
      const headers = {
        'content-type': 'application/json',
        ...(authorization === undefined ? {} : { authorization }),
        ...(signature === undefined ? {} : { 'http-webhook-signature': signature as string | string[] }),
        ...more,
      }
      return send(url, { headers, body })
    })
    replies.push(...(await Promise.all(together)))
  }
  return replies
}

/** Returns everything that an attacker sees, which is the same for every rejection. */
function seen({ status, body, headers: { date: _date, ...headers } }: Reply): string {
  return JSON.stringify({ status, body, headers })
}

// promise(webhooks): A payment webhook is accepted only if its exact bytes are signed with one of `WEBHOOK_SECRETS`;
// any other with an invalid signature is refused.
describe('a webhook whose signature is', () => {
  const each = Math.ceil(
    rounds({ few: 500, many: 500 * Object.keys(FORGERIES).length }) / Object.keys(FORGERIES).length,
  )

  it.each(Object.entries(FORGERIES))(
    '%s is refused with 401, like any other, and leaves no trace',
    async (_what, forgery) => {
      const [reference] = await answersTo([{}])
      expect(reference).toMatchObject({ status: 401, body: 'refused' })
      await fc.assert(
        fc.asyncProperty(fc.array(forgery, { minLength: each, maxLength: each }), async (forgeries) => {
          const replies = await answersTo(forgeries)
          const odd = replies.findIndex((reply) => reference === undefined || seen(reply) !== seen(reference))
          expect(odd === -1 ? null : { forgery: forgeries[odd], reply: replies[odd] }).toBeNull()
          expect(await deliveries(network)).toEqual([])
        }),
        { numRuns: 1, endOnFailure: true },
      )
    },
  )
})

const bytes = Buffer.from(BODY)
const position = fc.nat(bytes.length - 1)
/** Bodies that mean the same as the signed one, or nearly so. */
const RETELLINGS: Readonly<Record<string, fc.Arbitrary<Buffer>>> = {
  'one bit flipped': fc.tuple(position, fc.nat(7)).map(([place, bit]) => {
    const copy = Buffer.from(bytes)
    copy.writeUInt8(copy.readUInt8(place) ^ (1 << bit), place)
    return copy
  }),
  'a byte more': fc
    .tuple(position, fc.nat(255))
    .map(([place, extra]) => Buffer.concat([bytes.subarray(0, place), Buffer.of(extra), bytes.subarray(place)])),
  'a byte less': position.map((place) => Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + 1)])),
  'its keys in another order': fc
    .shuffledSubarray(Object.entries(JSON.parse(BODY) as object), { minLength: 10 })
    .map((entries) => Buffer.from(JSON.stringify(Object.fromEntries(entries)))),
  'other white space': fc
    .constantFrom(
      ...[1, 2, 4, '\t'].map((indent) => JSON.stringify(JSON.parse(BODY), null, indent)),
      `${BODY}\n`,
      `${BODY}\r\n`,
      `\n${BODY}`,
      ` ${BODY}`,
    )
    .chain((text) => fc.constantFrom(text, text.replaceAll('\n', '\r\n')))
    .map((text) => Buffer.from(text)),
  'a byte order mark': fc
    .constantFrom([0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff])
    .map((mark) => Buffer.concat([Buffer.from(mark), bytes])),
  'another encoding': fc
    .constantFrom<BufferEncoding>('utf16le', 'base64', 'hex')
    .map((form) => (form === 'utf16le' ? Buffer.from(BODY, form) : Buffer.from(bytes.toString(form)))),
  'escapes for letters': fc
    .constantFrom(...'adeinrsu'.split(''))
    .map((letter) => Buffer.from(BODY.replace(`"${letter}`, `"\\u00${letter.charCodeAt(0).toString(16)}`)))
    .filter((told) => !told.equals(bytes)),
  'a number in other digits': fc
    .constantFrom('125.50', '1255e-1')
    .map((digits) => Buffer.from(BODY.replace('"125.5"', digits))),
}

describe('a signed body', () => {
  it.each(Object.entries(RETELLINGS))('with %s is refused, unless its bytes are the same', async (_what, retelling) => {
    await fc.assert(
      fc.asyncProperty(retelling, async (told) => {
        fc.pre(!told.equals(bytes))
        for (const reply of await answersTo([{ signature: RIGHT }, { signature: RIGHT }], told))
          expect(reply).toMatchObject({ status: 401, body: 'refused' })
      }),
      { numRuns: rounds({ few: 25, many: 500 }), endOnFailure: true },
    )
    expect(await deliveries(network)).toEqual([])
  })
})

describe('the right digits', () => {
  it('are taken in any mixture of cases, with or without their scheme, under either name', async () => {
    const fresh = await startNetwork()
    try {
      const written = fc.tuple(
        fc.mixedCase(fc.constant('sha256=')),
        fc.boolean(),
        fc.constantFrom('http-webhook-signature', 'webhook-signature', 'HTTP-WEBHOOK-SIGNATURE'),
        fc.array(fc.boolean(), { minLength: 64, maxLength: 64 }),
      )
      await fc.assert(
        fc.asyncProperty(written, async ([scheme, schemed, name, upper]) => {
          const body = paymentBody()
          const digits = sign(body, SECRETS.webhook)
            .split('')
            .map((digit, index) => (upper[index] ? digit.toUpperCase() : digit))
          const signature = (schemed ? scheme : '') + digits.join('')
          const headers = { 'content-type': 'application/json', [name]: signature }
          expect(await send(defaultAddress(fresh), { headers, body })).toMatchObject({ status: 200, body: 'ok' })
        }),
        { numRuns: rounds({ few: 40, many: 1_000 }), endOnFailure: true },
      )
    } finally {
      await fresh.close()
    }
  })

  it('of the very body that all the forgeries were about are taken, and applied once', async () => {
    const fresh = await startNetwork()
    try {
      for (const attempts of [1, 2]) {
        expect(await deliver(defaultAddress(fresh), BODY)).toMatchObject({ status: 200, body: 'ok' })
        expect(await deliveries(fresh)).toMatchObject([{ disposition: 'APPLIED', attempts }])
      }
    } finally {
      await fresh.close()
    }
  })
})
