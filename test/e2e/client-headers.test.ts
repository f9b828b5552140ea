import { request, type OutgoingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK_UPDATES } from '../support/operations.ts'
import { openRawPeer } from '../support/raw-websocket.ts'
import { defaultAddress, honestHeaders, paymentBody, send } from '../support/webhooks.ts'

let network: Network
let authorization: string
let id: string
beforeAll(async () => {
  network = await startNetwork()
  authorization = `Bearer ${await network.token()}`
  id = (await createLink(network)).id
})
afterAll(() => network.close())

/** Returns the status and the content type with which an answer begins. */
function headOf(path: string, body: object, headers: OutgoingHttpHeaders): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', authorization, ...headers },
    }
    const outgoing = request(`${network.app.url}${path}`, options, (response) => {
      resolve(`${response.statusCode} ${response.headers['content-type']?.split(';')[0]}`)
      response.destroy()
    })
    outgoing.on('error', reject)
    outgoing.end(JSON.stringify(body))
  })
}

const RELAY = 'application/graphql-response+json; charset=utf-8, application/json; charset=utf-8'
const JSON_UTF8 = 'application/json; charset=utf-8'
const H2C = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAEAAEAA' }

/** What clients send by default, or in the set-ups that their documentation shows. */
const CLIENTS: Readonly<Record<string, OutgoingHttpHeaders>> = {
  'Apollo Client': { accept: 'application/graphql-response+json,application/json;q=0.9', connection: 'keep-alive' },
  'Apollo Kotlin': {
    accept: 'multipart/mixed;deferSpec=20220824, application/graphql-response+json, application/json',
    connection: 'Keep-Alive',
  },
  'Apollo iOS': { accept: 'multipart/mixed;deferSpec=20220824,application/json', connection: 'keep-alive' },
  urql: {
    accept:
      'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
  },
  Relay: { accept: RELAY },
  'Strawberry Shake': { accept: RELAY, 'content-type': JSON_UTF8 },
  'a gateway': { accept: `${RELAY};q=0.9`, connection: 'close, TE', te: 'trailers' },
  axios: { accept: 'application/json, text/plain, */*', connection: 'close' },
  Retrofit: { accept: 'application/json;charset=UTF-8', 'content-type': 'application/json;charset=UTF-8' },
  "Java's HttpClient": H2C,
  "Java's HttpURLConnection": {
    accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
    'content-type': 'application/json; utf-8',
  },
  'curl --http2': { accept: '*/*', ...H2C },
  'Python requests': { accept: '*/*', 'accept-encoding': 'gzip, deflate', connection: 'keep-alive' },
  Go: { 'accept-encoding': 'gzip' },
  'a proxy that empties headers': { accept: '', connection: '', 'content-encoding': '' },
}

describe.each(Object.entries(CLIENTS))('%s', (_client, headers) => {
  it('gets an answer to a query', async () => {
    expect(await headOf('/graphql', { query: '{ __typename }' }, headers)).toMatch(/^200 application\/(?:.+\+)?json$/)
    // Only as GraphQL is what cannot be parsed a 4xx: https://graphql.github.io/graphql-over-http/draft/#sec-Status-Codes
    expect(await headOf('/graphql', { query: '{' }, headers)).toMatch(
      /^(?:200 application\/json|400 application\/graphql-response\+json)$/,
    )
  })

  it.each([
    ['text/event-stream', '/graphql/stream', 'text/event-stream;charset=UTF-8'],
    ['text/event-stream', '/graphql', 'text/event-stream; charset="utf-8"'],
    ['multipart/mixed', '/graphql', 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0;charset=utf-8'],
    ['multipart/mixed', '/graphql', 'Multipart/Mixed; subscriptionSpec="1.0"'],
  ])('follows a link by %s at %s, if it names %s besides', async (type, path, named) => {
    const accept = [headers['accept'], named].filter((part) => part !== undefined).join(', ')
    const body = { query: LINK_UPDATES, variables: { id } }
    expect(await headOf(path, body, { ...headers, accept })).toBe(`200 ${type}`)
  })

  it('opens a socket', async () => {
    const { accept = '*/*' } = headers
    const peer = await openRawPeer(network.app.url, {
      headers: [
        ['Accept', String(accept)],
        ['Connection', 'keep-alive, Upgrade'],
        ['Upgrade', 'WebSocket'],
      ],
    })
    peer.say({ type: 'connection_init' })
    expect((await peer.next()).payload.toString()).toContain('connection_ack')
    peer.connection.destroy()
  })

  it('delivers a webhook', async () => {
    const body = paymentBody()
    const { status } = await send(defaultAddress(network), { headers: { ...honestHeaders(body), ...headers }, body })
    expect(status).toBe(200)
  })
})
