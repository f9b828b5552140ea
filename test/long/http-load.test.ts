import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { openSocket } from '../support/socket.ts'

const QUERY = '{ paymentCurrencies { code } }'
/** As many connections as requests may be in flight by default. */
const SILENT = 512
const HONEST = 50

let network: Network
const peers: Socket[] = []
afterEach(async () => {
  for (const peer of peers.splice(0)) peer.destroy()
  await network.close()
})

const readiness = async () => (await fetch(`${network.app.url}/health/ready`)).status
/** Sends a query whose text was never sent before: a recent answer would be sent again without a slot. */
const ask = async (headers: Record<string, string> = {}) => {
  const init = { method: 'POST', body: JSON.stringify({ query: `${QUERY} # ${randomUUID()}` }) }
  const answer = await fetch(`${network.app.url}/graphql`, {
    ...init,
    headers: { 'content-type': 'application/json', ...headers },
  })
  await answer.arrayBuffer()
  return answer.status
}
const figures = async () => (await fetch(`${network.app.url}/metrics`)).text()

/** Opens a connection that sends a text, and reads nothing until it is resumed. */
async function openPeer(text: string): Promise<Socket> {
  const { hostname, port } = new URL(network.app.url)
  const peer = connect({ host: hostname, port: Number(port) })
  peer.on('error', () => {})
  peers.push(peer)
  await new Promise((resolve) => peer.once('connect', resolve))
  peer.pause()
  peer.write(text)
  return peer
}

// promise(http): Peers that send no body or read no response occupy only their connection.
it('answers everybody while hundreds announce a body and send none', async () => {
  network = await startNetwork()
  const announced = `POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`
  await Promise.all(Array.from({ length: SILENT }, () => openPeer(announced)))
  expect(await Promise.all(Array.from({ length: HONEST }, () => ask()))).toEqual(
    Array.from({ length: HONEST }, () => 200),
  )
  expect(await readiness()).toBe(200)
  const socket = await openSocket(network.app.url)
  socket.close()
  expect(await figures()).not.toMatch(/^payments_turned_away_total\{reason="overload"\}/m)
})

/** Together their answers exceed the system's buffers of a connection, so that some stay in the process. */
const PIPELINED = 100
const LARGE = '{ __schema { types { name description fields { name description args { name description } } } } }'

/** Starts a network, and a peer that asks and asks, and never reads. */
async function startUnread(unreadMs: number): Promise<Socket> {
  const env = { GRAPHQL_LIMITS: 'depth=20,cost=1000000', GRAPHQL_MAX_IN_FLIGHT: '1' }
  network = await startNetwork({ limits: { unreadMs }, env })
  const request = (index: number) => {
    // A recent answer is sent again at once: none has the text of another.
    const body = JSON.stringify({ query: `${LARGE} # ${index}` })
    const head = `Content-Type: application/json\r\nContent-Length: ${body.length}`
    return `POST /graphql HTTP/1.1\r\nHost: localhost\r\n${head}\r\n\r\n${body}`
  }
  return openPeer(Array.from({ length: PIPELINED }, (_, index) => request(index)).join(''))
}

it('answers everybody else while a peer asks and asks, and never reads', async () => {
  await startUnread(300_000)
  for (let turn = 0; turn < PIPELINED; turn += 1) expect(await ask()).toBe(200)
})

it('destroys a connection on which more than a hundred requests wait', async () => {
  network = await startNetwork()
  const { control } = network.sandbox
  control.addFault({ method: 'POST', path: '/v3/payin_links', answer: { delayMs: 2_000 }, times: 1 })
  const before = await figures()
  expect(before).toContain('payments_')
  const get = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const slow = JSON.stringify({ query: QUERY })
  const first = `POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${slow.length}\r\n\r\n`
  // The first request is incomplete and blocks all others: the server does not count a request before it is complete.
  const peer = await openPeer(first + slow + get.repeat(500))
  peer.resume()
  const closed = new Promise((resolve) => peer.once('close', resolve))
  await closed
  expect(await ask()).toBe(200)
})
