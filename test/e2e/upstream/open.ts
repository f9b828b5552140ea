import { onTestFinished } from 'vitest'
import { createSites, type Site, type SiteSettings } from '../../../src/upstream/client/sites.ts'
import { createTransport, type TransportOptions } from '../../../src/upstream/client/transport.ts'
import { createUpstreamClient } from '../../../src/upstream/upstream-client.ts'
import { UpstreamFault } from '../../../src/upstream/upstream-fault.ts'
import { fixtureText } from '../../fixtures/upstream/read.ts'
import { answer, type Script, type ScriptedService, startScriptedService } from './scripted-service.ts'

/** Short deadlines in milliseconds, so that tests of them are fast. */
export const SHORT = { connect: 200, headers: 150, get: 400, post: 400, getSlot: 200, postSlot: 200 }

const SITES: SiteSettings[] = [
  { id: 'aud', appId: 'app-aud', secretKey: 'key-aud', currencies: ['AUD'] },
  { id: 'jpy', appId: 'app-jpy', secretKey: 'key-jpy', currencies: ['JPY'] },
]

const sites = createSites(SITES)

/** Returns a site of the tests by its id. */
export function site(id: 'aud' | 'jpy' = 'aud'): Site {
  const found = sites.byId(id)
  if (found === null) throw new Error(`There is no site ${id}.`)
  return found
}

/** An answer of 200 with this body. */
export const json = (body: unknown) => answer(200, JSON.stringify(body))

/** An answer of 200 with the body of a fixture. */
export const fixed = (name: string) => answer(200, fixtureText(name))

/** Starts a scripted service that ends with the test. */
export async function serve(...scripts: Script[]): Promise<ScriptedService> {
  const service = await startScriptedService(...scripts)
  onTestFinished(() => service.close())
  return service
}

/** Opens a transport that ends with the test. It has no jitter, so that retries are immediate. */
export function open(baseUrl: string, options: Partial<TransportOptions> = {}) {
  const transport = createTransport({ baseUrl, sites, random: () => 0, ...options })
  onTestFinished(() => transport.close())
  return transport
}

/** Starts a scripted service and a client of it; both end with the test. */
export async function clientOf(...scripts: Script[]) {
  const service = await serve(...scripts)
  const client = createUpstreamClient({ baseUrl: service.baseUrl, sites, random: () => 0 })
  onTestFinished(() => client.close())
  return { service, client }
}

/** Returns the fault of a call. Throws if the call succeeds. */
export async function faultOf(call: Promise<unknown>): Promise<UpstreamFault> {
  const outcome = await call.then(
    () => new Error('The call succeeded.'),
    (error: unknown) => error,
  )
  if (outcome instanceof UpstreamFault) return outcome
  throw outcome
}
