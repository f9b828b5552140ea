import { rawExchange } from '../faults/raw-http.ts'
import { closeCodeOf, openSocket } from '../support/socket.ts'
import { send, type Sending } from '../support/webhooks.ts'
import type { Canaries } from './canaries.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

/** Sends every kind of request that is rejected before it is an operation. Returns each answer, headers included. */
export async function attemptOverHttp(url: string, canaries: Canaries): Promise<string[]> {
  const word = (place: string) => canaries.word(`attempt.${place}`)
  const post = (body: string, headers: Record<string, string> = {}): [string, Sending] => [
    '/graphql',
    { body, headers: { ...JSON_TYPE, ...headers } },
  ]
  const query = (text: string, more: object = {}) => post(JSON.stringify({ query: text, ...more }))
  const requests: readonly (readonly [string, Sending])[] = [
    post(`{"query": "{ ${word('broken JSON')}`),
    post(JSON.stringify([word('array')])),
    post(JSON.stringify({ [word('member')]: word('its value') })),
    query(`{ ${word('syntax')} `),
    query(`{ ${word('field')} }`),
    query(`{ paymentCurrencies(${word('argument')}: "${word('literal')}") { code } }`),
    query(`query ${word('operation')} { paymentCurrencies { code } }`, { operationName: word('other operation') }),
    query('query Q($code: ID!) { payinMethod(code: $code) { code } }', {
      variables: { code: { a: word('variable') } },
    }),
    query('query Q($d: LocalDate!) { payouts(from: $d, to: $d) { totalCount } }', { variables: { d: word('date') } }),
    query('{ __typename }', { extensions: { persistedQuery: { version: 1, sha256Hash: word('hash') } } }),
    query('{ __typename }', { variables: word('variables') }),
    post(`{"query":"${word('too large').repeat(20_000)}"}`),
    ['/graphql', { body: word('form'), headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['/graphql', { body: word('type'), headers: { 'content-type': `text/${word('type')}` } }],
    post('{"query":"{ __typename }"}', { authorization: `Bearer ${word('token')}` }),
    post('{"query":"{ __typename }"}', { authorization: `${word('scheme')} ${word('credentials')}` }),
    post('{"query":"{ __typename }"}', { authorization: `Bearer ${word('head')}.${word('claims')}.${word('mac')}` }),
    [`/graphql?query={${word('address')}}&token=${word('token in the address')}`, { method: 'GET' }],
    [`/${word('path')}?q=${word('query')}`, { method: 'GET' }],
    [`/${word('path')}/%zz`, { method: 'GET' }],
    [`/${word('method')}`, { method: 'PROPFIND', body: word('body') }],
    [`/webhooks/payments/${word('ref')}?q=${word('query')}`, { headers: JSON_TYPE, body: word('webhook') }],
    [`/webhooks/${word('door')}/x`, { headers: JSON_TYPE, body: word('webhook') }],
    ['/webhooks/payments', { headers: { ...JSON_TYPE, 'http-webhook-signature': word('signature') }, body: '{}' }],
    [`/health/${word('probe')}`, { method: 'GET' }],
  ]
  const answers: string[] = []
  for (const [path, sending] of requests) {
    const { body, headers } = await send(`${url}${path}`, sending)
    answers.push(`${JSON.stringify(headers)}\n${body}`)
  }
  const raw = [
    `GET /${word('raw path')} HTTP/9.9\r\n\r\n`,
    `GET / HTTP/1.1\r\n${word('raw header')}\r\n\r\n`,
    `POST /graphql HTTP/1.1\r\nhost: a\r\ncontent-length: ${word('length')}\r\n\r\n${word('raw body')}`,
    `GET / HTTP/1.1\r\nhost: a\r\nx: ${word('long header').repeat(3_000)}\r\n\r\n`,
  ]
  for (const bytes of raw) answers.push((await rawExchange(url, bytes)).text)
  return answers
}

/** Does the same over WebSocket. Returns what each socket received until it was closed. */
export async function attemptOverWebSocket(url: string, canaries: Canaries, token: string): Promise<string[]> {
  const word = (place: string) => canaries.word(`attempt.socket.${place}`)
  const init = { type: 'connection_init', payload: { authorization: `Bearer ${token}`, [word('key')]: word('value') } }
  const subscribe = (query: string, more: object = {}) => ({
    type: 'subscribe',
    id: word('id'),
    payload: { query, ...more },
  })
  const streams = ['paymentLinkUpdates', 'paymentUpdates', 'paymentAgreementUpdates']
  const operations = [
    subscribe(`subscription { ${word('field')} }`),
    subscribe(`subscription { ${word('syntax')}`),
    subscribe('{ payinMethod(code: $c) { code } }', { variables: { c: word('variable') } }),
    ...streams.map((stream) =>
      subscribe(
        `subscription S($id: ID!, $n: ID, $a: String) { ${stream}(id: $id, streamNonce: $n, after: $a) { kind } }`,
        { variables: { id: word(`${stream}.id`), n: word(`${stream}.nonce`), a: word(`${stream}.cursor`) } },
      ),
    ),
  ]
  const conversations: readonly (readonly object[])[] = [
    [{ type: 'connection_init', payload: { authorization: `Bearer ${word('token')}` } }],
    [{ type: 'connection_init', payload: word('no parameters') }],
    [{ type: word('kind of message'), id: word('id'), payload: word('payload') }],
    [subscribe(`{ ${word('too early')} }`)],
    [init, { type: word('kind of message') }],
    ...operations.map((operation) => [init, operation]),
  ]
  const told = conversations.map((messages) => converse(url, messages, word))
  const refusals = [
    closeCodeOf(url, word('subprotocol')).catch(String),
    // The host of a refused origin is logged, for whoever has to allow it.
    openSocket(url, { headers: { origin: `https://${word('origin')}@other.test/${word('origin')}` } }).catch(String),
    openSocket(`${url}/${word('path')}`).catch(String),
  ]
  return [...(await Promise.all(told)), ...(await Promise.all(refusals)).map((refusal) => JSON.stringify(refusal))]
}

async function converse(url: string, messages: readonly object[], word: (place: string) => string): Promise<string> {
  const headers = { cookie: `${word('cookie')}=1`, 'x-other': word('header') }
  const socket = await openSocket(url, { headers })
  const heard: unknown[] = []
  for (const message of messages) {
    socket.send({ ...message })
    heard.push(await socket.next().catch(() => null))
  }
  socket.close()
  heard.push(await socket.closed)
  return JSON.stringify(heard)
}
