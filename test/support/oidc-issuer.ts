import { createHash, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { Scope } from '../../src/access/caller.ts'

export type OidcIssuer = {
  readonly url: string
  /** The settings of an app whose operators sign in here. */
  readonly env: Readonly<Record<string, string>>
  /** How the tokens are obtained, in order: `authorization_code` or `refresh_token`. */
  readonly grants: readonly string[]
  /** Seconds for which the next tokens are valid. */
  ttlSeconds: number
  close(): Promise<void>
}

const CLIENT = 'console'

/** Starts an OpenID Connect issuer that signs everybody in as grace, by an authorization code with PKCE. */
export async function startOidcIssuer(scopes: readonly Scope[]): Promise<OidcIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }
  const begun = new Map<string, { readonly challenge: string; readonly nonce: string; readonly redirect: string }>()
  const renewals = new Set<string>()
  const grants: string[] = []
  const issuer = { ttlSeconds: 3_600 }
  const sign = (claims: Record<string, unknown>) =>
    new SignJWT({ jti: randomUUID(), ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'JWT' })
      .setIssuer(url)
      .setSubject('grace')
      .setIssuedAt()
      .setExpirationTime(Math.floor(Date.now() / 1000) + issuer.ttlSeconds)
      .sign(privateKey)
  const tokens = async (nonce: string | null) => {
    const renewal = randomUUID()
    renewals.add(renewal)
    return {
      token_type: 'Bearer',
      expires_in: issuer.ttlSeconds,
      access_token: await sign({ aud: 'payments', scope: scopes.join(' ') }),
      id_token: await sign({ aud: CLIENT, ...(nonce === null ? {} : { nonce }) }),
      refresh_token: renewal,
    }
  }
  const redeem = async (form: URLSearchParams) => {
    if (form.get('client_id') !== CLIENT) return null
    grants.push(form.get('grant_type') ?? '')
    if (form.get('grant_type') === 'refresh_token')
      return renewals.delete(form.get('refresh_token') ?? '') ? tokens(null) : null
    const code = form.get('code') ?? ''
    const known = begun.get(code)
    begun.delete(code)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    return known?.challenge === challenge && known.redirect === form.get('redirect_uri') ? tokens(known.nonce) : null
  }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', url)
    const json = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (pathname === '/.well-known/openid-configuration')
      return json(200, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
        id_token_signing_alg_values_supported: ['ES256'],
      })
    if (pathname === '/keys') return json(200, { keys: [jwk] })
    if (pathname === '/authorize') {
      const [code, redirect] = [randomUUID(), searchParams.get('redirect_uri') ?? '']
      begun.set(code, {
        redirect,
        challenge: searchParams.get('code_challenge') ?? '',
        nonce: searchParams.get('nonce') ?? '',
      })
      const back = new URL(redirect)
      back.search = new URLSearchParams({ code, state: searchParams.get('state') ?? '' }).toString()
      return response.writeHead(302, { location: back.href }).end()
    }
    const parts: Buffer[] = []
    return request
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => {
        void redeem(new URLSearchParams(Buffer.concat(parts).toString())).then((answer) =>
          answer === null ? json(400, { error: 'invalid_grant' }) : json(200, answer),
        )
      })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(issuer, {
    url,
    grants,
    env: {
      JWT_SECRETS: '',
      JWT_JWKS_URL: `${url}/keys`,
      JWT_ISSUER: url,
      JWT_AUDIENCE: 'payments',
      CONSOLE_OIDC_CLIENT_ID: CLIENT,
    },
    close: () => {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  })
}
