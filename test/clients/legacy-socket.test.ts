import { createRequire } from 'node:module'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { startNetwork, type Network } from '../support/network.ts'

/** What this test uses of the library, whose own types need a global `WebSocket` of browsers. */
type LegacyClient = new (
  url: string,
  options: { connectionCallback: (error?: unknown) => void },
  implementation: unknown,
) => { close(): void }
const require = createRequire(import.meta.url)
const { SubscriptionClient } = require('subscriptions-transport-ws') as { SubscriptionClient: LegacyClient }

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

it('tells the client of subscriptions-transport-ws which subprotocol to use', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const url = `${network.app.url.replace(/^http/, 'ws')}/graphql`
  const client = new SubscriptionClient(url, { connectionCallback: resolve }, WebSocket)
  expect(await promise).toEqual({ message: expect.stringContaining('use graphql-transport-ws') })
  client.close()
})
