import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { CREATE_LINK, createLink, LINK_UPDATES } from '../support/operations.ts'
import { greetedSocket } from '../support/socket.ts'
import { isCaughtUp } from '../support/streams.ts'

const SECRET = 'secret-of-the-router-1'

/** Documents as query planners write them: no line breaks, aliases of their own, the plan's names. */
const DOCUMENTS = {
  service: 'query __ApolloGetServiceDefinition__ { _service { sdl } }',
  one: 'query($representations:[_Any!]!){_entities(representations:$representations){...on PaymentLink{reference state}}}',
  named:
    'query Orders__payments__1($representations:[_Any!]!){_entities(representations:$representations){__typename ...on PaymentLink{__typename id state payment{__typename id}}...on Payment{status}}}',
  argument:
    'query Orders__payments__1($representations:[_Any!]!,$first:Int!){_entities(representations:$representations){...on PaymentLink{events(first:$first){nodes{kind}}}}}',
  root: 'query Orders__payments__0($id:ID!){paymentLink(id:$id){__typename id reference}}',
}

/**
 * Requests as gateways send them to a subgraph.
 * https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec
 */
describe.each(['every document', 'trusted documents alone'])('a subgraph behind a router, which runs %s', (mode) => {
  const folder = mkdtempSync(join(tmpdir(), 'manifest-'))
  let network: Network
  beforeAll(async () => {
    const path = join(folder, 'documents.json')
    const manifest = [CREATE_LINK, LINK_UPDATES].map((text) => [createHash('sha256').update(text).digest('hex'), text])
    writeFileSync(path, JSON.stringify(Object.fromEntries(manifest)))
    const trusting = mode === 'trusted documents alone' ? { TRUSTED_DOCUMENTS: path } : {}
    network = await startNetwork({ env: { ROUTER_SECRETS: SECRET, ...trusting } })
  })
  afterAll(async () => {
    await network.close()
    rmSync(folder, { recursive: true })
  })

  const send = async (body: Record<string, unknown>, headers: Record<string, string> = {}) => {
    const response = await fetch(`${network.app.url}/graphql`, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: `Bearer ${await network.token()}`,
        'x-router-secret': SECRET,
        ...headers,
      },
      body: JSON.stringify(body),
    })
    return { status: response.status, json: (await response.json()) as { data: unknown; errors?: unknown } }
  }
  const ask = async (query: string, variables: Record<string, unknown> = {}, operationName?: string) => {
    const { status, json } = await send({ query, variables, ...(operationName === undefined ? {} : { operationName }) })
    expect({ status, errors: json.errors }).toEqual({ status: 200, errors: undefined })
    return json.data
  }

  it('gives its contract', async () => {
    const data = (await ask(DOCUMENTS.service)) as { _service: { sdl: string } }
    expect(data._service.sdl).toContain('type PaymentLink')
  })

  it('gives entities at their places, and null for what is not there', async () => {
    const { id, reference } = await createLink(network)
    const representations = [
      { __typename: 'PaymentLink', id },
      { __typename: 'PaymentLink', id: randomUUID() },
      { __typename: 'PaymentLink', id },
    ]
    const there = { reference, state: 'OPEN' }
    expect(await ask(DOCUMENTS.one, { representations })).toEqual({ _entities: [there, null, there] })
    expect(await ask(DOCUMENTS.named, { representations }, 'Orders__payments__1')).toMatchObject({
      _entities: [{ __typename: 'PaymentLink', id, payment: null }, null, { id }],
    })
    expect(await ask(DOCUMENTS.argument, { representations, first: 1 })).toMatchObject({
      _entities: [{ events: { nodes: [{ kind: 'LINK_CREATED' }] } }, null, { events: { nodes: [{}] } }],
    })
    expect(await ask(DOCUMENTS.root, { id })).toEqual({ paymentLink: { __typename: 'PaymentLink', id, reference } })
  })

  it('is not put off by what a router adds to a request', async () => {
    const headers = { 'apollo-federation-include-trace': 'ftv1', 'user-agent': 'router', traceparent: TRACE_PARENT }
    const { status, json } = await send({ query: DOCUMENTS.service, variables: {}, extensions: {} }, headers)
    expect({ status, errors: json.errors }).toEqual({ status: 200, errors: undefined })
  })

  it('runs a stream that the router wrote itself', async () => {
    const { id } = await createLink(network)
    const query = 'subscription Order__payments__0($id:ID!){paymentLinkUpdates(id:$id){__typename kind cursor}}'
    const headers = { 'x-router-secret': SECRET }
    const socket = await greetedSocket(network.app.url, { token: await network.token() }, { headers })
    socket.send({ id: '1', type: 'subscribe', payload: { query, variables: { id } } })
    expect(await socket.next()).toMatchObject({
      type: 'next',
      payload: { data: { paymentLinkUpdates: { kind: 'SNAPSHOT' } } },
    })
    socket.close()
  })

  if (mode === 'every document') return

  it('runs nothing but these for everybody else', async () => {
    const { id } = await createLink(network)
    const refused = { status: 200, json: { errors: [{ extensions: { code: 'UNTRUSTED_DOCUMENT' } }] } }
    for (const secret of ['', 'another', `${SECRET}1`])
      expect(await send({ query: DOCUMENTS.root, variables: { id } }, { 'x-router-secret': secret })).toMatchObject(
        refused,
      )
    const socket = await greetedSocket(network.app.url, { token: await network.token() })
    socket.send({ id: '1', type: 'subscribe', payload: { query: DOCUMENTS.root, variables: { id } } })
    expect(await socket.next()).toMatchObject({ type: 'error', payload: refused.json.errors })
    socket.close()
    const stream = await network.follow(LINK_UPDATES, { id })
    await stream.until(isCaughtUp)
    await stream.end()
  })

  it('takes an id from the router only where it names a document', async () => {
    const persisted = (hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: hash } } })
    const { json } = await send({ ...persisted('0'.repeat(64)), query: DOCUMENTS.service })
    expect(json.errors).toMatchObject([{ extensions: { code: 'UNTRUSTED_DOCUMENT' } }])
  })
})

describe('a subgraph of trusted documents that knows no router', () => {
  it('takes nobody for one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'manifest-'))
    const path = join(folder, 'documents.json')
    writeFileSync(path, JSON.stringify({ create: CREATE_LINK }))
    const network = await startNetwork({ env: { TRUSTED_DOCUMENTS: path } })
    const { errors } = await network.ask(DOCUMENTS.service, {}, { headers: { 'x-router-secret': '' } })
    expect(errors).toMatchObject([{ extensions: { code: 'UNTRUSTED_DOCUMENT' } }])
    await network.close()
    rmSync(folder, { recursive: true })
  })
})

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACE_PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
