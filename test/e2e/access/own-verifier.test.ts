import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Network, startNetwork } from '../../support/network.ts'

const CLAIMS = { exp: 4_000_000_000, sub: 'user', scope: 'payments:read' }
const LIST = '{ webhookDelivery(id: "x") { id } }'
const STREAM = 'subscription { paymentEventStream { kind } }'

/** Opaque tokens and their claims, as an issuer has them at the moment. */
const issued = new Map<string, object | null>()
const asked: string[] = []
let network: Network
beforeAll(async () => {
  network = await startNetwork({
    extensions: {
      verifyToken: async (token) => {
        asked.push(token)
        if (token === 'outage') throw new Error(`no issuer for ${token}`)
        return (issued.get(token) as Record<string, unknown> | undefined) ?? null
      },
    },
  })
})
afterAll(() => network.close())

const codes = async (token: string) => {
  const { status, errors } = await network.ask(LIST, {}, { token })
  return [status, ...(errors ?? []).map(({ extensions }) => extensions?.['code'])]
}

it.each<[string, object | null, readonly unknown[]]>([
  ['good', CLAIMS, [200]],
  ['without-scope', { ...CLAIMS, scope: 'openid' }, [200, 'FORBIDDEN']],
  ['unknown', null, [401, 'UNAUTHENTICATED']],
  ['expired', { ...CLAIMS, exp: 1 }, [401, 'UNAUTHENTICATED']],
  ['without-expiry', { ...CLAIMS, exp: undefined }, [401, 'UNAUTHENTICATED']],
  ['outage', null, [503, 'TOKEN_KEYS_UNAVAILABLE']],
  ['x'.repeat(8_193), CLAIMS, [401, 'UNAUTHENTICATED']],
])('the token %.20s counts as its claims say', async (token, claims, expected) => {
  issued.set(token, claims)
  expect(await codes(token)).toEqual(expected)
})

it('is asked once for each request, never for tokens that are too long, and the log has no token', async () => {
  issued.set('counted', CLAIMS)
  await codes('counted')
  await codes('counted')
  expect(asked.filter((token) => token === 'counted')).toHaveLength(2)
  expect(asked.filter((token) => token.length > 8_192)).toEqual([])
  expect(network.log()).not.toContain('no issuer')
})

it('no token of the settings is accepted beside it', async () => {
  expect(await codes(await network.token())).toEqual([401, 'UNAUTHENTICATED'])
})

it('a stream ends when its token is withdrawn and the tokens are checked', async () => {
  issued.set('of-stream', CLAIMS)
  const stream = await network.follow(STREAM, {}, { token: 'of-stream' })
  await stream.until(({ kind }) => kind === 'CAUGHT_UP')
  issued.delete('of-stream')
  await network.app.refetchTokenKeys()
  expect((await stream.closed).code).toBe(4403)
})
