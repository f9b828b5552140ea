import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { greetedRawPeer, openRawPeer, textFrame } from '../support/raw-websocket.ts'

let network: Network
beforeAll(async () => {
  network = await startNetwork()
})
afterAll(() => network.close())

it.each([
  ['a greeting with a key twice', 4400, '{"type":"ping","type":"connection_init"}'],
  ['a bad token', 4403, '{"type":"connection_init","payload":{"authorization":"Bearer x"}}'],
])('closes a socket for %s, with %i', async (_what, code, message) => {
  const peer = await openRawPeer(network.app.url)
  peer.write(textFrame(message))
  expect(await peer.closed).toBe(code)
  peer.connection.destroy()
})

it('answers variables that are nested as deep as they fit with an error of that operation', async () => {
  const peer = await greetedRawPeer(network.app.url, { token: await network.token() })
  const query = 'query Q($filter: PaymentEventFilter) { paymentEvents(filter: $filter) { nodes { id } } }'
  const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
  peer.write(
    textFrame(
      `{"id":"1","type":"subscribe","payload":{"query":${JSON.stringify(query)},"variables":{"filter":{"linkIds":${deep}}}}}`,
    ),
  )
  const answer = await Promise.race([peer.next().then(({ payload }) => payload.toString()), peer.closed])
  expect(answer).toMatch(/^\{"id":"1","type":"(?:next|error)"/)
  peer.connection.destroy()
})
