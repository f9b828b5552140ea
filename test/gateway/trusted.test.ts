import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CREATE_LINK, createLink, LINK, LINK_UPDATES } from '../support/operations.ts'
import { greetedSocket } from '../support/socket.ts'
import { startStage, type Stage } from './stage.ts'

const ORDERS = 'query Orders($links: [ID!]!) { orders(links: $links) { paymentLink { reference order { id } } } }'
const UNTRUSTED = 'query Others($links: [ID!]!) { orders(links: $links) { id paymentLink { state } } }'

describe('trusted documents, at the gateway and at the subgraph', () => {
  const folder = mkdtempSync(join(tmpdir(), 'manifest-'))
  let stage: Stage
  beforeAll(async () => {
    const ofClients = manifest('clients.json', [ORDERS, LINK_UPDATES])
    const ofSubgraph = manifest('subgraph.json', [CREATE_LINK, LINK])
    stage = await startStage({ env: { TRUSTED_DOCUMENTS: ofSubgraph }, gatewayEnv: { TRUSTED_DOCUMENTS: ofClients } })
  })
  afterAll(async () => {
    await stage.close()
    rmSync(folder, { recursive: true })
  })

  function manifest(name: string, documents: readonly string[]): string {
    const path = join(folder, name)
    writeFileSync(path, JSON.stringify(Object.fromEntries(documents.map((text) => [sha256(text), text]))))
    return path
  }

  const send = async (body: Record<string, unknown>) => {
    const response = await fetch(`${stage.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${await stage.network.token()}` },
      body: JSON.stringify(body),
    })
    return (await response.json()) as { data?: unknown; errors?: unknown[] }
  }
  const persisted = (text: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: sha256(text) } } })

  it("run, and so do the gateway's own operations that come of them", async () => {
    const { id, reference } = await createLink(stage.network)
    expect(await send({ ...persisted(ORDERS), variables: { links: [id] } })).toEqual({
      data: { orders: [{ paymentLink: { reference, order: { id: reference } } }] },
    })
  })

  it('are the only ones that run at the gateway', async () => {
    const { id } = await createLink(stage.network)
    stage.proxy.clear()
    for (const asked of [{ query: UNTRUSTED }, persisted(UNTRUSTED), { query: ORDERS }]) {
      const { data, errors } = await send({ ...asked, variables: { links: [id] } })
      expect(data ?? null).toBeNull()
      expect(errors).toHaveLength(1)
    }
    expect(stage.proxy.requests).toEqual([])
  })

  it('run as streams too', async () => {
    const { id } = await createLink(stage.network)
    const socket = await greetedSocket(stage.url, { authorization: `Bearer ${await stage.network.token()}` })
    const run = (payload: Record<string, unknown>) =>
      socket.send({ id: randomUUID(), type: 'subscribe', payload: { ...payload, variables: { id } } })
    run({ query: '', ...persisted(LINK_UPDATES) })
    for (const kind of ['SNAPSHOT', 'CAUGHT_UP'])
      expect(await socket.next()).toMatchObject({ type: 'next', payload: { data: { paymentLinkUpdates: { kind } } } })
    // This gateway closes the socket for any other document.
    run({ query: LINK_UPDATES })
    expect(await socket.closed).toMatchObject({ code: 4500 })
  })
})

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
