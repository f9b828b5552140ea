import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../network.ts'

const METHODS = 'query Methods { payinMethods { nodes { code } } }'
const LINKS = 'query Links { paymentLinks { nodes { id } } }'
const idOf = (text: string) => createHash('sha256').update(text).digest('hex')

let network: Network
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'documents-'))
  const manifest = join(folder, 'manifest.json')
  writeFileSync(manifest, JSON.stringify({ [idOf(METHODS)]: METHODS, [idOf(LINKS)]: LINKS }))
  network = await startNetwork({
    env: { TRUSTED_DOCUMENTS: manifest, ALLOWED_ORIGINS: 'https://shop.example.test' },
  })
})
afterAll(async () => {
  await network.close()
  rmSync(folder, { recursive: true })
})

async function get(text: string, headers: Record<string, string> = {}) {
  const search = new URLSearchParams({ extensions: JSON.stringify({ persistedQuery: { sha256Hash: idOf(text) } }) })
  const authorization = `Bearer ${await network.token()}`
  const response = await fetch(`${network.app.url}/graphql?${search.toString()}`, {
    headers: { 'apollo-require-preflight': 'true', authorization, ...headers },
  })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

describe('an answer that is the same for everyone', () => {
  it('may be kept, and is not sent again to whoever has it', async () => {
    const first = await get(METHODS)
    const tag = first.headers.get('etag') ?? ''
    expect(first.headers.get('cache-control')).toBe('public, max-age=300')
    expect(first.headers.get('vary')).toMatch(/\bAccept\b/)
    expect(tag).toMatch(/^"[\w-]{43}"$/)
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await get(METHODS, { 'if-none-match': known })
      expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, '', tag])
      expect(again.headers.get('cache-control')).toBe('public, max-age=300')
    }
    for (const other of ['"other"', tag.slice(1, -1), ''])
      expect(await get(METHODS, { 'if-none-match': other })).toMatchObject({ status: 200, body: first.body })
  })

  it('names every header that it depends on', async () => {
    const { headers } = await get(METHODS, { origin: 'https://shop.example.test' })
    expect(headers.get('vary')?.split(', ').toSorted()).toEqual(['Accept', 'Origin'])
  })

  it('tells a router so, too', async () => {
    const response = await fetch(`${network.app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: METHODS }),
    })
    expect(response.headers.get('cache-control')).toBe('public, max-age=300')
    expect(response.headers.get('etag')).toBeNull()
  })
})

describe('any other answer', () => {
  it.each<[string, string, Record<string, string>, number]>([
    ['that depends on rights', LINKS, {}, 200],
    ['with a token that does not hold', METHODS, { authorization: 'Bearer nonsense' }, 401],
    ['of an unknown document', 'query Unknown { paymentCurrencies { code } }', {}, 400],
  ])('%s is kept by nobody', async (_what, text, headers, status) => {
    const answer = await get(text, { ...headers, 'if-none-match': '*' })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect(answer.headers.get('etag')).toBeNull()
  })
})

describe('an answer with an error in it', () => {
  it('is kept by nobody', async () => {
    const open = await startNetwork()
    try {
      const query = '{ payinMethods(amount: { value: "1.001", currency: "AUD" }) { stale } }'
      const response = await fetch(`${open.app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      })
      expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] })
      expect(response.headers.get('cache-control')).toBe('private, no-store')
    } finally {
      await open.close()
    }
  })
})
