import { type Agent, EnvHttpProxyAgent } from 'undici'

/** The proxies to other networks: the addresses for http and for https, empty for none, and the hosts that are reached without them. */
export type Proxies = { readonly http: string; readonly https: string; readonly none: string }

export const NO_PROXIES: Proxies = { http: '', https: '', none: '' }

/**
 * Creates the agent of requests to another program, which go through the proxies. Certificates are verified whatever
 * NODE_TLS_REJECT_UNAUTHORIZED says. `connectMs`: milliseconds to connect to the program, or to the proxy.
 */
export function createOutboundAgent(
  { http, https, none }: Proxies,
  { connectMs, ...options }: Omit<Agent.Options, 'connect'> & { readonly connectMs: number },
): EnvHttpProxyAgent {
  const connect = { timeout: connectMs, rejectUnauthorized: true }
  return new EnvHttpProxyAgent({
    ...options,
    httpProxy: http,
    httpsProxy: https,
    noProxy: none,
    connect,
    proxyTls: connect,
    requestTls: connect,
  })
}
