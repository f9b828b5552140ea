import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createScalars } from '../../src/graphql/schema/scalars.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { startCanary, type Canary } from './canary.ts'
import { textPlaces } from './string-arguments.ts'

/** Texts that must not be accepted as an address to send a payer to, or to pass to the payments API. */
const REFUSED: readonly string[] = [
  'javascript:alert(1)',
  'JaVaScRiPt://shop.example.test/%0aalert(1)',
  'java\tscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  'ftp://shop.example.test/',
  'gopher://127.0.0.1:6379/_FLUSHALL',
  'blob:https://shop.example.test/1',
  'view-source:https://shop.example.test/',
  'shop://back',
  'http://shop.example.test/',
  'http://localhost.evil.example.test/',
  'http://127.0.0.1.evil.example.test/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://0.0.0.0/',
  'http://[::]/',
  'http://169.254.169.254/latest/meta-data',
  'http://10.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0177.0.0.1/',
  'http://０.０.０.０/',
  'http://localhost。/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://127.1/',
  'https://１２７.０.０.１/',
  'https://①②⑦.⓪.⓪.①/',
  'https://[0:0:0:0:0:ffff:127.0.0.1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://shop%2eexample.test/',
  'https://shop\u00ad.example.test/',
  'https://shop\u200b.example.test/',
  'https://shop。example。test/',
  'https://user@shop.example.test/',
  'https://user:pass@shop.example.test/',
  'https://shop.example.test@evil.example.test/',
  'https://shop.example.test\\@evil.example.test/',
  'https://shop.example.test:pass@evil.example.test/',
  'https:/\\evil.example.test/',
  'https:\\\\evil.example.test/',
  'https:evil.example.test',
  'https:///evil.example.test/',
  '//evil.example.test/',
  '/back',
  'back',
  '',
  ' https://shop.example.test/',
  'https://shop.example.test/ ',
  'https://shop.example.test/\r\nSet-Cookie: a=b',
  'https://shop.example.test/\u0000',
  'https://shop.example.test:99999/',
  'https://shop.example.test:port/',
  'https://[::1/',
  'https://',
  `https://shop.example.test/${'a'.repeat(2_048)}`,
]

/** Addresses that a shop may send: they are passed on unchanged. */
const TAKEN: readonly string[] = [
  'https://shop.example.test',
  'https://shop.example.test/back?order=1&next=https://other.example.test/#done',
  'https://SHOP.example.test:443/Back',
  'https://shop.example.test:8443/',
  'https://xn--mnchen-3ya.example.test/',
  'https://München.example.test/',
  'https://192.0.2.7/back',
  'https://[2001:db8::7]/back',
  'https://shop.example.test/@user',
]

let network: Network
let canary: Canary
beforeAll(async () => {
  canary = await startCanary()
  network = await startNetwork()
})
afterAll(async () => {
  await network.close()
  canary.close()
})

const places = () => textPlaces().filter(({ scalar }) => scalar === 'HttpsUrl')
const commands = () => network.sandbox.control.calls().filter(({ method }) => method === 'POST').length

// promise(operations): The server fetches no URL from a client's input; return URLs must be plain https.
describe('an address that a client gives', () => {
  it('is asked for in four places', () => {
    expect(places().map(({ name }) => name)).toEqual([
      'createPaymentLink.input.successUrl',
      'createPaymentLink.input.failureUrl',
      'createGatewayPayment.input.successUrl',
      'createGatewayPayment.input.items.0.imageUrl',
    ])
  })

  it.each(REFUSED.map((url) => [url.slice(0, 80), url]))(
    'is refused wherever it stands when it is %j',
    async (_, url) => {
      const before = commands()
      for (const { document, variables, name } of places()) {
        const { status, errors } = await network.ask(document, variables(url))
        expect([name, status, errors?.[0]?.extensions?.['code']]).toEqual([name, 400, 'BAD_USER_INPUT'])
      }
      expect(commands()).toBe(before)
    },
  )

  it.each(['http://localhost:8080/', 'http://127.0.0.1/', 'http://[::1]/'])(
    'may be %s for development alone',
    (url) => {
      const scalarIn = (production: boolean) => createScalars({ production }).HttpsUrl
      expect(scalarIn(false).parseValue(url)).toBe(url)
      expect(() => scalarIn(true).parseValue(url)).toThrow('https')
    },
  )

  it.each(TAKEN)('is passed on as it is when it is %j', async (url) => {
    const [place] = places()
    const { errors, data } = await network.ask(place?.document ?? '', place?.variables(url))
    expect(errors).toBeUndefined()
    expect(data).toEqual({ createPaymentLink: { __typename: 'CreatePaymentLinkSuccess' } })
  })

  it('is never called by us', async () => {
    const questions = textPlaces().filter(({ kind }) => kind !== 'subscription')
    await Promise.all(questions.map(({ document, variables }) => network.ask(document, variables(canary.url))))
    await network.app.settle()
    expect(canary.calls()).toBe(0)
    // Proof that the canary observes: it has recorded the connection to the payments API.
    expect(canary.strays([network.app.url])).toEqual([`127.0.0.1:${new URL(network.sandbox.url).port}`])
  })
})

describe('connections', () => {
  it('are opened to the payments API, to the issuer of tokens and to routers that are listed, and nowhere else in the program', () => {
    const root = fileURLToPath(new URL('../../src/', import.meta.url))
    const opening = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/^(?:sandbox|operator|client|web)\//.test(file))
      .filter((file) =>
        /\bfetch\(|^import (?!type).* from 'undici'|createRemoteJWKSet\(|\b(?:connect|createConnection|request)\b[^}]*\} from 'node:/m.test(
          readFileSync(join(root, file), 'utf8'),
        ),
      )
    expect(opening.toSorted()).toEqual([
      'access/remote-keys.ts',
      // Calls its own process, before it is ready.
      'composition/compose-engine.ts',
      'http/callback/router-client.ts',
      // Makes the agents to the payments API and to the issuer of tokens.
      'lib/outbound-agent.ts',
      // The demo shop, which runs only with the sandbox, calls this graph, and the sandbox's control of faults.
      'shop/emulator.ts',
    ])
  })
})
