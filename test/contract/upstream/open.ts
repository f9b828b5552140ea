import { onTestFinished } from 'vitest'
import { createSites, type Site, type SiteSettings } from '../../../src/upstream/client/sites.ts'
import { createTransport, type TransportOptions } from '../../../src/upstream/client/transport.ts'
import { createUpstreamClient } from '../../../src/upstream/client/upstream-client.ts'
import { UpstreamFault } from '../../../src/upstream/client/upstream-fault.ts'
import { type Script, type ScriptedService, startScriptedService } from './scripted-service.ts'

/** Short, so that a test of a deadline does not take long. */
export const SHORT = { connect: 200, headers: 150, get: 400, post: 400, slot: 200 }

const SITES: SiteSettings[] = [
  { id: 'aud', appId: 'app-aud', secretKey: 'key-aud', currencies: ['AUD'] },
  { id: 'jpy', appId: 'app-jpy', secretKey: 'key-jpy', currencies: ['JPY'] },
]

export const sites = createSites(SITES)

/** A site of the tests by its name. */
export function site(id: 'aud' | 'jpy' = 'aud'): Site {
  const found = sites.byId(id)
  if (found === null) throw new Error(`There is no site ${id}.`)
  return found
}

/** A scripted service that ends with the test. */
export async function serve(...scripts: Script[]): Promise<ScriptedService> {
  const service = await startScriptedService(...scripts)
  onTestFinished(() => service.close())
  return service
}

/** A transport that ends with the test. Without jitter, so that retries come at once. */
export function open(baseUrl: string, options: Partial<TransportOptions> = {}) {
  const transport = createTransport({ baseUrl, sites, random: () => 0, ...options })
  onTestFinished(() => transport.close())
  return transport
}

/** A client of a scripted service; both end with the test. */
export async function clientOf(...scripts: Script[]) {
  const service = await serve(...scripts)
  const client = createUpstreamClient({ baseUrl: service.baseUrl, sites, random: () => 0 })
  onTestFinished(() => client.close())
  return { service, client }
}

/** The fault with which a call ends; a call that succeeds fails the test. */
export async function faultOf(call: Promise<unknown>): Promise<UpstreamFault> {
  const outcome = await call.then(
    () => new Error('The call succeeded.'),
    (error: unknown) => error,
  )
  if (outcome instanceof UpstreamFault) return outcome
  throw outcome
}
