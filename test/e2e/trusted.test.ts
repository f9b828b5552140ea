import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../src/cli/command-line.ts'
import { manifest } from '../../src/operator/documents.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { CREATE_LINK, linkInput } from '../support/operations.ts'
import { TRANSPORTS, type Sent } from '../support/transports.ts'

const ORDINARY = 'query Ordinary { paymentCurrencies { code } }'
const PAGE = 'query Page($first: Int!) { payments(first: $first) { nodes { id } } }'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const persisted = (sha256Hash: unknown) => ({ extensions: { persistedQuery: { version: 1, sha256Hash } } })

const folder = mkdtempSync(join(tmpdir(), 'manifest-'))
let network: Network
let token: string
beforeAll(async () => {
  const path = join(folder, 'documents.json')
  const documents = [ORDINARY, PAGE, CREATE_LINK].map((text) => [sha256(text), text])
  writeFileSync(path, JSON.stringify({ ...Object.fromEntries(documents), ...manifest(), 'a-name': ORDINARY }))
  network = await startNetwork({ env: { TRUSTED_DOCUMENTS: path } })
  token = await network.token()
})
afterAll(async () => {
  await network.close()
  rmSync(folder, { recursive: true })
})

// promise(operations): With `TRUSTED_DOCUMENTS` no other document runs, except those of the router.
describe.each(TRANSPORTS)('over $name', (transport) => {
  const send = (operation: Sent) => transport.run(network, operation, token)

  it.each<[string, Sent]>([
    ['its id', { documentId: sha256(ORDINARY) }],
    ['an id that is no hash', { documentId: 'a-name' }],
    ['the hash of its text', persisted(sha256(ORDINARY))],
    ['both ids', { documentId: sha256(ORDINARY), ...persisted(sha256(ORDINARY)) }],
    ['its text', { query: ORDINARY }],
    ['its id and its text', { documentId: sha256(ORDINARY), query: ORDINARY }],
    ['its id and an empty text', { documentId: sha256(ORDINARY), query: '' }],
  ])('a trusted document runs by %s', async (_how, operation) => {
    expect(await send(operation)).toEqual({ data: { paymentCurrencies: expect.any(Array) } })
  })

  it.each<[string, Sent]>([
    ['an unknown id', { documentId: sha256('{ __typename }') }],
    ['an unknown hash', persisted(sha256('{ __typename }'))],
    ['the hash of a text that comes along', { query: '{ __typename }', ...persisted(sha256('{ __typename }')) }],
    ['a trusted id with another text', { documentId: sha256(ORDINARY), query: '{ __typename }' }],
    ['a trusted id with another trusted text', { documentId: sha256(ORDINARY), query: PAGE }],
    ['a trusted id with its text and a space', { documentId: sha256(ORDINARY), query: `${ORDINARY} ` }],
    ['its text and a space', { query: `${ORDINARY} ` }],
    ['its text with a line break', { query: ORDINARY.replace(' {', '\n{') }],
    ['its text with a comment', { query: `${ORDINARY}#` }],
    ['an empty id', { documentId: '' }],
    ['the name of what every object has', { documentId: 'constructor' }],
    ['nothing', {}],
  ])('nothing runs by %s', async (_how, operation) => {
    const { data, errors } = await send(operation)
    expect(data).toBeUndefined()
    expect(errors).toMatchObject([{ extensions: { code: 'UNTRUSTED_DOCUMENT' } }])
  })

  it.each<[string, Sent]>([
    ['two ids that differ', { documentId: sha256(ORDINARY), ...persisted(sha256(PAGE)) }],
    ['an id that is no text', { documentId: 17 }],
    ['a hash that is no text', persisted(17)],
    ['no hash', persisted(undefined)],
  ])('nothing runs by %s', async (_how, operation) => {
    const { data, errors } = await send(operation)
    expect(data).toBeUndefined()
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_REQUEST' } }])
  })

  it('a trusted document is held to the limits as any other', async () => {
    const { errors } = await send({ documentId: sha256(PAGE), variables: { first: 101 } })
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: 'first' } }])
  })
})

describe('by GET', () => {
  const get = (search: Record<string, string>) =>
    fetch(`${network.app.url}/graphql?${new URLSearchParams(search).toString()}`, {
      headers: { 'apollo-require-preflight': 'true', authorization: `Bearer ${token}` },
    })

  it('a trusted query runs', async () => {
    for (const search of [
      { documentId: sha256(ORDINARY) },
      { extensions: JSON.stringify(persisted(sha256(ORDINARY)).extensions) },
    ])
      expect((await get(search)).status).toBe(200)
    const answer = await get({ documentId: sha256(PAGE), variables: '{"first":1}', operationName: 'Page' })
    expect(await answer.json()).toEqual({ data: { payments: { nodes: [] } } })
  })

  it('a mutation does not run, although it is trusted', async () => {
    const before = network.sandbox.control.state().counters.links
    const variables = JSON.stringify({ input: linkInput() })
    for (const search of [{ documentId: sha256(CREATE_LINK) }, { query: CREATE_LINK }])
      expect((await get({ ...search, variables })).status).toBe(405)
    expect(network.sandbox.control.state().counters.links).toBe(before)
  })
})

const WHOSE = { by: 'OWNER', value: 'nobody' }

it("the operator's own documents are printed as a manifest of Relay", async () => {
  const { code, out } = await run(['documents'], {}, { output: process.stdout, terminal: process.stderr })
  const printed = JSON.parse(out) as Record<string, string>
  expect(code).toBe(0)
  expect(Object.keys(printed)).toHaveLength(17)
  for (const [id, text] of Object.entries(printed)) {
    expect(id).toBe(sha256(text))
    const inputs = [
      ['erasePayer', WHOSE],
      ['settleGatewayPaymentCreation', { operationId: 'x', outcome: 'NOT_CREATED' }],
      ['cancelPaymentImport', { importId: 'x' }],
      ['replayWebhookDeliveries', { filter: {} }],
      ['cancelWebhookReplay', { replayId: 'x' }],
      ['importPayments', { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', dryRun: true }],
    ] as const
    const input = inputs.find(([name]) => text.includes(name))?.[1] ?? { deliveryId: 'x' }
    const variables = { first: 1, id: 'x', of: WHOSE, input }
    const [answer] = await Promise.all(
      TRANSPORTS.map((transport) => transport.run(network, { documentId: id, variables }, token)),
    )
    expect(answer?.errors?.map(({ extensions }) => extensions?.['code']) ?? []).not.toContain('UNTRUSTED_DOCUMENT')
    expect(answer?.data).toBeTypeOf('object')
  }
})
