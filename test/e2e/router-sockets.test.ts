import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK_UPDATES, type CreatedLink } from '../support/operations.ts'
import { greetedSocket, openSocket, type RawSocket } from '../support/socket.ts'

const SECRET = 'secret-of-the-router-1'
const OF_ROUTER = { headers: { 'x-router-secret': SECRET } }
const OF_STRANGERS = [{}, { headers: { 'x-router-secret': `${SECRET}1` } }]
const LIMITS = 'streams=2,operationsPerSecond=3,messagesPerSecond=5,bytesPerSecond=4096,perAddress=1'

describe('a socket of the router', () => {
  let network: Network
  beforeAll(async () => {
    const env = { ROUTER_SECRETS: SECRET, SOCKET_LIMITS: LIMITS, TRUST_PROXY: '127.0.0.1' }
    network = await startNetwork({ env })
  })
  afterAll(() => network.close())

  /** Opens 100 streams: of each of five links 20, which is the limit. */
  const subscribe = (socket: RawSocket, links: readonly CreatedLink[]) => {
    for (let count = 0; count < 100; count++) {
      const { id, statusToken } = links[count % links.length] ?? {}
      const payload = { query: LINK_UPDATES, variables: { id, statusToken } }
      socket.send({ id: String(count), type: 'subscribe', payload })
    }
  }

  it('carries the streams of many clients, where anybody else is held to the limits of one', async () => {
    const links = await Promise.all(Array.from({ length: 5 }, () => createLink(network)))
    const socket = await greetedSocket(network.app.url, {}, OF_ROUTER)
    subscribe(socket, links)
    const begun = new Set<unknown>()
    for (let count = 0; count < 200; count++) {
      const message = await socket.next()
      expect(message).toMatchObject({ type: 'next' })
      begun.add(message.id)
    }
    expect(begun.size).toBe(100)
    socket.close()

    for (const options of OF_STRANGERS) {
      const stranger = await greetedSocket(network.app.url, {}, options)
      subscribe(stranger, links)
      expect((await stranger.closed).code).toBe(4429)
    }
  })

  it('is not counted by the address that it comes from', async () => {
    const from = { 'x-forwarded-for': '192.0.2.1' }
    const open = (headers: Record<string, string>) => openSocket(network.app.url, { headers: { ...headers, ...from } })
    const sockets = await Promise.all([open({}), open(OF_ROUTER.headers), open(OF_ROUTER.headers)])
    await expect(open({})).rejects.toMatchObject({ status: 429 })
    for (const socket of sockets) socket.close()
    await Promise.all(sockets.map(({ closed }) => closed))
  })

  it('is closed for good when its token expires or does not hold, and anybody else may come back', async () => {
    const closings = async (token: string) => {
      const sockets = await Promise.all(
        [OF_ROUTER, ...OF_STRANGERS].map((options) => openSocket(network.app.url, options)),
      )
      for (const socket of sockets) socket.send({ type: 'connection_init', payload: { token } })
      return Promise.all(sockets.map(async ({ closed }) => (await closed).code))
    }
    expect(await closings(await network.token({ ttlSeconds: 2 }))).toEqual([4401, 4403, 4403])
    expect(await closings('a.b.c')).toEqual([4401, 4403, 4403])
  })
})

describe('where no router is known', () => {
  it('nobody is taken for one', async () => {
    const network = await startNetwork({ env: { SOCKET_LIMITS: LIMITS } })
    const socket = await openSocket(network.app.url, OF_ROUTER)
    socket.send({ type: 'connection_init', payload: { token: 'a.b.c' } })
    expect((await socket.closed).code).toBe(4403)
    await network.close()
  })
})
