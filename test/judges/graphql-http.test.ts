import { auditServer, type AuditResult } from 'graphql-http'
import { startSandbox } from 'payments-subgraph-sandbox'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { PRODUCTION, SECRETS, startNetwork, type Network } from '../support/network.ts'
import { settingsFor, startReady, temporaryFolder } from '../support/process.ts'

/** Least number of audits: a suite with fewer, or without any, would prove nothing. */
const FEWEST_AUDITS = 61

/** Audits that may fail, by id (ids are more stable than names), with the reason for this behaviour. */
const NO_SIMPLE_GET = 'a GET that any page could make a browser send, without a header of its own, is refused'
const ACCEPTED: Readonly<Record<string, string>> = {
  '5A70': NO_SIMPLE_GET,
  D6D5: NO_SIMPLE_GET,
  '6A70': NO_SIMPLE_GET,
}

const ROUTER_SECRET = 'router-secret-of-the-tests-0123456789abcdef'
const GUARDED = {
  ...PRODUCTION,
  ROUTER_SECRETS: ROUTER_SECRET,
}

let network: Network | null = null
afterEach(async () => {
  await network?.close()
  network = null
})

/** Runs the suite, all audits at once, against the real endpoint; `headers` are sent with every request. */
function audit(headers: Readonly<Record<string, string>>, origin = network?.app.url): Promise<AuditResult[]> {
  return auditServer({
    url: `${origin}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) => {
      const all = new Headers(init.headers)
      for (const [name, value] of Object.entries(headers)) all.set(name, value)
      return fetch(url, { ...init, headers: all })
    },
  })
}

/** Returns the audits that did not pass, as `id status: name, reason`. */
const findings = (results: readonly AuditResult[], known: (id: string) => boolean) =>
  results.flatMap((result) =>
    result.status === 'ok' || known(result.id)
      ? []
      : [`${result.id} ${result.status}: ${result.name}, ${result.reason}`],
  )

const reasonsOf = (results: readonly AuditResult[]) =>
  Object.fromEntries(results.filter(({ status }) => status !== 'ok').map(({ id }) => [id, ACCEPTED[id]]))

// promise(checks): The audits of graphql-http report no error; accepted findings are listed with a reason.
describe('the audits of GraphQL over HTTP', () => {
  it.each(['all', 'none'])(
    'find no error, and no warning but the accepted ones, with SHORTCUTS=%s',
    async (shortcuts) => {
      network = await startNetwork({ env: { SHORTCUTS: shortcuts } })
      const results = await audit({})
      expect(results.length).toBeGreaterThanOrEqual(FEWEST_AUDITS)
      expect(findings(results, (id) => id in ACCEPTED)).toEqual([])
      expect(results.filter(({ status }) => status === 'error')).toEqual([])
      expect(reasonsOf(results)).toEqual(ACCEPTED)
    },
  )

  it('find the same in production. Some introspect, so they run as the router, with the header that its requests have', async () => {
    network = await startNetwork({ env: GUARDED })
    const results = await audit({ 'x-router-secret': ROUTER_SECRET, 'apollo-require-preflight': 'true' })
    expect(results.length).toBeGreaterThanOrEqual(FEWEST_AUDITS)
    expect(findings(results, () => false)).toEqual([])
  })

  it('find, in production without the secret, only that introspection is refused besides', async () => {
    network = await startNetwork({ env: GUARDED })
    const results = await audit({ 'apollo-require-preflight': 'true' })
    const refused = results.filter(({ status }) => status !== 'ok')
    // The audits of variables and of UTF-8 query `__type`.
    expect(refused.map(({ id }) => id).toSorted()).toEqual(['28B9', '2EA1', '6A70', 'BF61', 'D6D5'])
  })

  it('find the same in a process that has just started', async () => {
    const sandbox = await startSandbox({ webhookSecret: SECRETS.webhook })
    onTestFinished(() => sandbox.close())
    const { WARM_UP_MS: _none, ...env } = settingsFor(sandbox, temporaryFolder())
    const { url } = await startReady({ env: { ...env, ADMIN_PORT: 'off' } })
    const results = await audit({}, url)
    expect(findings(results, (id) => id in ACCEPTED)).toEqual([])
    expect(reasonsOf(results)).toEqual(ACCEPTED)
  })
})
