import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { PRODUCTION, startNetwork, type Network } from '../support/network.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

/** Sends a request for the session of the pages. */
async function ask(method: string, headers: Record<string, string> = {}, { app } = network) {
  const response = await fetch(`${app.url}/session`, { method, headers })
  const body = (await response.json()) as { readonly token?: string | null }
  const cookie = response.headers.get('set-cookie') ?? ''
  return { status: response.status, token: body.token, cookie, pair: cookie.split(';')[0] ?? '' }
}

const codeOf = ({ app }: Network) => /#code=([\w-]{43})$/.exec(app.signInUrl ?? '')?.[1]

// promise(http): A cookie that no script reads holds the pages' token.
describe('the session of the pages', () => {
  it('begins with a one-time code, and keeps a token of every scope in a cookie', async () => {
    const code = codeOf(network)
    const { status, token, cookie, pair } = await ask('POST', { authorization: `Code ${code}` })
    expect(status).toBe(200)
    expect(cookie).toMatch(/^payments-session-\d+=[\w.-]+; Path=\/session; HttpOnly; SameSite=Strict; Max-Age=\d+\b/)
    expect(await ask('GET', { cookie: pair })).toMatchObject({ status: 200, token })
    const { data } = await network.ask('{ payments { nodes { id } } }', {}, { token: token ?? '' })
    expect(data).toEqual({ payments: { nodes: [] } })
    expect(await ask('POST', { authorization: `Code ${code}` })).toMatchObject({ status: 401, cookie: '' })
  })

  it('begins with a token that is accepted, and ends', async () => {
    const token = await network.token({ subject: 'grace' })
    const { pair } = await ask('POST', { authorization: `Bearer ${token}` })
    expect(await ask('GET', { cookie: `other=1; ${pair}` })).toMatchObject({ token })
    const ended = await ask('DELETE', { cookie: pair })
    expect(ended.cookie).toMatch(/=; Path=\/session; .*Max-Age=0$/)
    expect(await ask('GET')).toMatchObject({ status: 200, token: null })
  })

  it.each([
    ['nothing', {}],
    ['another token', { authorization: 'Bearer e30.e30.AAAA' }],
    ['another code', { authorization: `Code ${'A'.repeat(43)}` }],
  ])('does not begin with %s', async (_what, headers) => {
    expect(await ask('POST', headers as Record<string, string>)).toMatchObject({ status: 401, cookie: '' })
  })

  it('is not told to pages of other sites, nor to those of other ports', async () => {
    const { pair } = await ask('POST', { authorization: `Bearer ${await network.token()}` })
    for (const site of ['cross-site', 'same-site', 'none'])
      expect(await ask('GET', { cookie: pair, 'sec-fetch-site': site })).toMatchObject({ status: 401 })
    expect(await ask('GET', { cookie: pair, 'sec-fetch-site': 'same-origin' })).toMatchObject({ status: 200 })
  })

  it('authorises nothing by its cookie alone', async () => {
    const { pair } = await ask('POST', { authorization: `Bearer ${await network.token()}` })
    const response = await fetch(`${network.app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: pair },
      body: JSON.stringify({ query: '{ payments { nodes { id } } }' }),
    })
    expect(JSON.stringify(await response.json())).toContain('UNAUTHENTICATED')
  })

  it('has no one-time codes in production', async () => {
    const production = await startNetwork({ env: PRODUCTION })
    onTestFinished(() => production.close())
    expect(production.app.signInUrl).toBeNull()
  })
})
