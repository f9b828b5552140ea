import { afterAll, beforeAll, expect, it } from 'vitest'
import { rawExchange } from '../faults/raw-http.ts'
import { freePort } from '../support/free-port.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { CREATE_LINK, linkInput } from '../support/operations.ts'

const QUERY = JSON.stringify({ query: '{ __typename }' })

let network: Network
let admin: string
beforeAll(async () => {
  const port = String(await freePort())
  admin = `http://127.0.0.1:${port}`
  network = await startNetwork({ env: { ADMIN_PORT: port } })
})
afterAll(() => network.close())

/** Returns a request that asks to go on in another protocol, as Java's HTTP client and `curl --http2` do with every one. */
function asking(protocol: string, line: string, headers: readonly string[] = [], body = ''): string {
  const asks = ['Connection: Upgrade, HTTP2-Settings', `Upgrade: ${protocol}`, 'HTTP2-Settings: AAMA']
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  return [`${line} HTTP/1.1`, 'Host: localhost', ...asks, ...headers, ...length, '', body].join('\r\n')
}
const JSON_TYPE = ['Content-Type: application/json']
const HANDSHAKE = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']

it.each(['h2c', 'TLS/1.0', 'h2c, websocket', 'websocket'])(
  'an upgrade to %s is ignored where there is none',
  async (protocol) => {
    const at = async (url: string, raw: string) => (await rawExchange(url, raw)).statuses
    expect(await at(network.app.url, asking(protocol, 'POST /graphql', JSON_TYPE, QUERY))).toEqual([200])
    expect(await at(network.app.url, asking(protocol, 'GET /health/live'))).toEqual([200])
    expect(await at(network.app.url, asking(protocol, 'GET /nowhere'))).toEqual([404])
    expect(await at(admin, asking(protocol, 'GET /health/ready'))).toEqual([200])
    expect(await at(admin, asking(protocol, 'GET /graphql', HANDSHAKE))).toEqual([404])
  },
)

it('a socket opens behind the answer to a command on the same connection', async () => {
  const body = JSON.stringify({ query: CREATE_LINK, variables: { input: linkInput() } })
  const authorization = `Authorization: Bearer ${await network.token()}`
  const lines = [
    'POST /graphql HTTP/1.1',
    'Host: localhost',
    ...JSON_TYPE,
    authorization,
    `Content-Length: ${body.length}`,
  ]
  const command = [...lines, '', body].join('\r\n')
  // It is closed when nothing is said on it.
  const { statuses, text } = await rawExchange(
    network.app.url,
    `${command}${asking('websocket', 'GET /graphql', HANDSHAKE)}`,
    10_000,
  )
  expect(statuses).toEqual([200, 101])
  expect(text.indexOf('CreatePaymentLinkSuccess')).toBeLessThan(text.indexOf('HTTP/1.1 101'))
})
