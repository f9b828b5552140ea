import { expect, test } from 'vitest'
import { createTokenVerifier } from '../../src/access/verify-token.ts'
import { parseConfig } from '../../src/config.ts'
import { startJwksServer } from '../e2e/access/jwks-server.ts'
import { issuerKey, NOW, NOW_S, rsToken } from '../unit/access/tokens.ts'
import { snippetsOf } from './snippets.ts'

const FILES = snippetsOf('token-issuers.md')
const KEY = issuerKey('key-1')

/** Returns what the settings of an issuer make of the clients' tokens, with its keys on this machine. */
function clientsOf(issuer: string, url: string) {
  const lines = (FILES.get(`${issuer}.env`) ?? '').trimEnd().split('\n')
  const settings = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2)))
  const result = parseConfig(settings)
  if (!result.ok || result.config.clients.kind !== 'jwks') throw new Error(JSON.stringify(result))
  expect(new URL(result.config.clients.url).origin).toBe(new URL(result.config.clients.issuer ?? '').origin)
  return { ...result.config.clients, url }
}

test('the guide has each issuer', () => {
  const names = ['auth0', 'cognito', 'entra-program', 'entra-user', 'keycloak']
  expect([...FILES.keys()].filter((name) => name.endsWith('.json')).sort()).toEqual(names.map((name) => `${name}.json`))
})

test.each([...FILES.keys()].filter((name) => name.endsWith('.json')))(
  'a token of this form has its scopes with the settings of its issuer: %s',
  async (name) => {
    const issuer = await startJwksServer()
    issuer.publish(KEY.jwk)
    const verifier = createTokenVerifier(clientsOf(/^\w+/.exec(name)?.[0] ?? '', issuer.url), { clock: () => NOW })
    const claims = JSON.parse(FILES.get(name) ?? '') as Record<string, unknown>
    const times = { iat: NOW_S, nbf: NOW_S, exp: NOW_S + 3_600 }
    const caller = await verifier.verify(rsToken(KEY, { ...claims, ...times }, { typ: 'JWT' }))
    expect([...caller.scopes]).toEqual(['payments:read', 'payments:refund'])
    expect(caller.subject).toBe(claims['sub'])
    const foreign = { ...claims, ...times, iss: 'https://id.example.test/' }
    await expect(verifier.verify(rsToken(KEY, foreign))).rejects.toThrow('The token is not valid.')
    await issuer.close()
  },
)
