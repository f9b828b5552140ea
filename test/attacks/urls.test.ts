import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createScalars } from '../../src/graphql/schema/scalars.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { startCanary, type Canary } from './canary.ts'
import { textPlaces } from './string-arguments.ts'

/** Texts that parsers of URLs disagree about: none may be an address to send a payer to, or to pass to the payments API. */
const REFUSED: readonly string[] = [
  'JaVaScRiPt://shop.example.test/%0aalert(1)',
  'java\tscript:alert(1)',
  'gopher://127.0.0.1:6379/_FLUSHALL',
  'http://[::ffff:127.0.0.1]/',
  'http://2130706433/',
  'http://localhost。/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://１２７.０.０.１/',
  'https://①②⑦.⓪.⓪.①/',
  'https://[0:0:0:0:0:ffff:127.0.0.1]/',
  'https://shop%2eexample.test/',
  'https://shop\u00ad.example.test/',
  'https://shop\u200b.example.test/',
  'https://shop。example。test/',
  'https:/\\evil.example.test/',
  'https:///evil.example.test/',
  'https://shop.example.test/\r\nSet-Cookie: a=b',
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

  it('is refused wherever it stands, and passed on as it is if it is plain https', async () => {
    const before = commands()
    for (const { document, variables, name } of places()) {
      const { status, errors } = await network.ask(document, variables('http://shop.example.test/'))
      expect([name, status, errors?.[0]?.extensions?.['code']]).toEqual([name, 400, 'BAD_USER_INPUT'])
    }
    expect(commands()).toBe(before)
    const [place] = places()
    const { errors, data } = await network.ask(place?.document ?? '', place?.variables('https://München.example.test/'))
    expect(errors).toBeUndefined()
    expect(data).toEqual({ createPaymentLink: { __typename: 'CreatePaymentLinkSuccess' } })
  })

  it.each(REFUSED)('is refused when it is %j', (url) => {
    for (const production of [true, false])
      expect(() => createScalars({ production }).HttpsUrl.parseValue(url)).toThrow('HttpsUrl')
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
