import * as oauth from 'oauth4webapi'
import { isLoopbackHost } from 'payments-subgraph-lib/known-hosts'
import { fetch } from 'undici'
import { createOutboundAgent, type Proxies } from '../lib/outbound-agent.ts'

export type OidcLoginOptions = {
  /** The issuer, as in the `iss` of its tokens; its metadata is read from there. */
  readonly issuer: string
  readonly clientId: string
  /** The scopes that are asked for, separated by spaces. */
  readonly scope: string
  /** The `aud` that tokens must have; some issuers must be told. */
  readonly audience: string | null
  readonly proxies: Proxies
}

/** The tokens of a user. */
export type OidcTokens = { readonly token: string; readonly refreshToken: string | null }

/** Signs users in at the issuer of their tokens: OpenID Connect, authorization code with PKCE, as a public client. */
export type OidcLogin = {
  /** Returns the address at the issuer, and what the browser must bring back with the answer. */
  begin(redirectUri: string): Promise<{ readonly url: URL; readonly secret: string }>
  /** Redeems the answer. Rejects with an error of oauth4webapi if it is not an answer to this secret, or if the user was refused. */
  finish(answer: URL, secret: string): Promise<OidcTokens>
  /** Returns new tokens. Rejects if the issuer gives none. */
  renew(refreshToken: string): Promise<OidcTokens>
}

const TIMEOUT_MS = 10_000

/** Creates the sign-in; the issuer is asked at the first one. */
export function createOidcLogin({ issuer, clientId, scope, audience, proxies }: OidcLoginOptions): OidcLogin {
  const at = new URL(issuer)
  const client: oauth.Client = { client_id: clientId }
  const dispatcher = createOutboundAgent(proxies, { connectMs: TIMEOUT_MS })
  // undici's own fetch, because the agent is of this version of it.
  const send = (async (url: string, init: object) => fetch(url, { ...init, dispatcher })) as unknown as (
    url: string,
    init: object,
  ) => Promise<Response>
  const options = () => ({
    [oauth.customFetch]: send,
    [oauth.allowInsecureRequests]: isLoopbackHost(at.hostname),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  let known: Promise<oauth.AuthorizationServer> | null = null
  const server = async () => {
    known ??= oauth
      .discoveryRequest(at, options())
      .then((response) => oauth.processDiscoveryResponse(at, response))
      .catch((error: unknown) => {
        known = null
        throw error
      })
    return known
  }
  const tokensIn = ({ access_token: token, refresh_token: refreshToken }: oauth.TokenEndpointResponse) => ({
    token,
    refreshToken: refreshToken ?? null,
  })

  return {
    async begin(redirectUri) {
      const { authorization_endpoint: endpoint } = await server()
      if (endpoint === undefined) throw new Error('The issuer names no authorization endpoint.')
      const [state, nonce, verifier] = [
        oauth.generateRandomState(),
        oauth.generateRandomNonce(),
        oauth.generateRandomCodeVerifier(),
      ]
      const url = new URL(endpoint)
      const params = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope,
        state,
        nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(audience === null ? {} : { audience }),
      }
      for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
      return { url, secret: [state, nonce, verifier].join('.') }
    },
    async finish(answer, secret) {
      const [state = '', nonce = '', verifier = ''] = secret.split('.')
      const issuerNow = await server()
      const params = oauth.validateAuthResponse(issuerNow, client, answer, state)
      const redirectUri = `${answer.origin}${answer.pathname}`
      const response = await oauth.authorizationCodeGrantRequest(
        issuerNow,
        client,
        oauth.None(),
        params,
        redirectUri,
        verifier,
        options(),
      )
      return tokensIn(
        await oauth.processAuthorizationCodeResponse(issuerNow, client, response, {
          expectedNonce: nonce,
          requireIdToken: true,
        }),
      )
    },
    async renew(refreshToken) {
      const issuerNow = await server()
      const response = await oauth.refreshTokenGrantRequest(issuerNow, client, oauth.None(), refreshToken, options())
      const { token, refreshToken: next } = tokensIn(
        await oauth.processRefreshTokenResponse(issuerNow, client, response),
      )
      return { token, refreshToken: next ?? refreshToken }
    },
  }
}
