import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { describeFaults, parseConfig } from '../../src/config.ts'
import type { Config, ConfigFault, Environment } from '../../src/config.ts'

const SITES = '[{"id":"au","appId":"app-au","secretKey":"sk-au","currencies":["AUD"]}]'

/** Everything that production asks for. */
const PRODUCTION: Environment = {
  NODE_ENV: 'production',
  UPSTREAM_URL: 'https://pay.example.test/api',
  UPSTREAM_SITES: SITES,
  WEBHOOK_SECRETS: 'webhook-secret-1',
  SIGNING_KEYS: 'signing-key-of-more-than-32-bytes-1',
  JWT_SECRET: 'client-secret-of-more-than-32-bytes',
  PUBLIC_URL: 'https://shop.example.test',
}

const generate = (setting: string): string => `generated-for-${setting}-0123456789abcdef`

function configOf(env: Environment): Config {
  const result = parseConfig(env, generate)
  if (!result.ok) throw new Error(describeFaults(result.faults))
  return result.config
}

const pathOf = ({ database }: Config) => database.kind === 'sqlite' && database.path
const placeOf = ({ database }: Config) => database.kind === 'postgres' && database.place

function faultsOf(env: Environment): readonly ConfigFault[] {
  const result = parseConfig(env, generate)
  return result.ok ? [] : result.faults
}

describe('parseConfig without any setting', () => {
  it('runs on the built-in sandbox with generated keys, and names them', () => {
    const config = configOf({})
    expect(config).toMatchObject({
      production: false,
      http: { host: '127.0.0.1', port: 4000, publicUrl: 'http://127.0.0.1:4000', allowedOrigins: [] },
      upstream: { kind: 'built-in-sandbox', port: 4010, environment: 'sandbox', sites: null },
      clients: { kind: 'secret', issuer: null, audience: null },
      router: { kind: 'open' },
      callbackOrigins: [],
      tracesEndpoint: null,
      database: { kind: 'sqlite', path: './data/payments.db' },
      trustedDocuments: null,
      logLevel: 'info',
    })
    expect([...config.generated].sort()).toEqual(['JWT_SECRET', 'SIGNING_KEYS', 'WEBHOOK_SECRETS'])
    expect(config.signingKeys.map((key) => key.reveal())).toEqual([generate('SIGNING_KEYS')])
    expect(config.webhooks.secrets.map((key) => key.reveal())).toEqual([generate('WEBHOOK_SECRETS')])
  })

  it('makes other keys at each call by default, of at least 32 bytes', () => {
    const keys = [parseConfig({}), parseConfig({})].map((result) =>
      result.ok ? result.config.signingKeys[0].reveal() : '',
    )
    expect(keys[0]).not.toBe(keys[1])
    expect(Buffer.from(keys[0] ?? '', 'base64url')).toHaveLength(32)
  })

  it('takes an empty setting for an unset one', () => {
    expect(configOf({ PORT: '', UPSTREAM_URL: '', JWT_SECRET: '', UPSTREAM_FLAVOUR: '' })).toEqual(configOf({}))
  })

  it('generates only what is unset', () => {
    expect(configOf({ JWT_SECRET: PRODUCTION['JWT_SECRET'] }).generated).not.toContain('JWT_SECRET')
    expect(configOf({ JWT_JWKS_URL: 'https://id.example.test/keys' }).generated).not.toContain('JWT_SECRET')
  })
})

describe('parseConfig in production', () => {
  it('accepts the complete set', () => {
    const config = configOf({ ...PRODUCTION, UPSTREAM_ENVIRONMENT: 'production' })
    expect(config).toMatchObject({
      production: true,
      generated: [],
      upstream: {
        kind: 'service',
        url: 'https://pay.example.test/api',
        environment: 'production',
        sites: [{ id: 'au', appId: 'app-au', currencies: ['AUD'] }],
      },
    })
    expect(config.upstream.sites?.[0]?.secretKey.reveal()).toBe('sk-au')
  })

  it('names everything that is missing at once, and generates nothing', () => {
    const result = parseConfig({ NODE_ENV: 'production' }, () => {
      throw new Error('a key was generated')
    })
    expect(result.ok ? [] : result.faults.map((fault) => fault.setting).sort()).toEqual([
      'JWT_SECRET',
      'PUBLIC_URL',
      'SIGNING_KEYS',
      'UPSTREAM_SITES',
      'UPSTREAM_URL',
      'WEBHOOK_SECRETS',
    ])
  })

  it.each(Object.keys(PRODUCTION).filter((name) => name !== 'NODE_ENV'))('asks for %s', (name) => {
    expect(faultsOf({ ...PRODUCTION, [name]: undefined }).map((fault) => fault.setting)).toEqual([name])
  })

  it('takes a key set in place of the shared secret', () => {
    const { clients } = configOf({
      ...PRODUCTION,
      JWT_SECRET: undefined,
      JWT_JWKS_URL: 'https://id.example.test/keys',
      JWT_ISSUER: 'https://id.example.test/',
      JWT_AUDIENCE: 'payments',
    })
    expect(clients).toEqual({
      kind: 'jwks',
      url: 'https://id.example.test/keys',
      issuer: 'https://id.example.test/',
      audience: 'payments',
    })
  })
})

describe('parseConfig reads', () => {
  it.each<[string, Environment, (config: Config) => unknown, unknown]>([
    ['a free port', { PORT: '0' }, (config) => config.http.port, 0],
    ['two free ports', { PORT: '0', SANDBOX_PORT: '0' }, (config) => config.http.port, 0],
    ['all addresses', { HOST: '0.0.0.0' }, (config) => config.http.publicUrl, 'http://127.0.0.1:4000'],
    ['an IPv6 host', { HOST: '::1' }, (config) => config.http.publicUrl, 'http://[::1]:4000'],
    [
      'a public address',
      { PUBLIC_URL: 'https://a.test/pay/' },
      (config) => config.http.publicUrl,
      'https://a.test/pay',
    ],
    [
      'a public address of this machine',
      { PUBLIC_URL: 'http://127.8.9.1:80/' },
      (config) => config.http.publicUrl,
      'http://127.8.9.1',
    ],
    [
      'origins',
      { ALLOWED_ORIGINS: 'https://A.test:443, http://localhost:5173,capacitor://localhost,https://a.test' },
      (config) => config.http.allowedOrigins,
      ['https://a.test', 'http://localhost:5173', 'capacitor://localhost'],
    ],
    [
      'no proxy of ours',
      {},
      (config) => config.http.limits,
      {
        trustProxy: [],
        connectionsPerAddress: 0,
        failedAuthentications: 60,
        graphqlInFlight: 512,
      },
    ],
    [
      'proxies of ours',
      { TRUST_PROXY: '203.0.113.7, 2001:db8::/32,loopback' },
      (config) => config.http.limits.trustProxy,
      ['203.0.113.7', '2001:db8::/32', '127.0.0.0/8', '::1/128'],
    ],
    [
      'several secrets',
      { WEBHOOK_SECRETS: 'a'.repeat(16) + ',' + 'b'.repeat(16) },
      (config) => config.webhooks.secrets.length,
      2,
    ],
    ['key length in bytes', { SIGNING_KEYS: 'é'.repeat(16) }, (config) => config.signingKeys.length, 1],
    ['a relative file', { DATABASE_URL: 'file:./x/y.db' }, pathOf, './x/y.db'],
    ['an absolute file', { DATABASE_URL: 'file:/var/y.db' }, pathOf, '/var/y.db'],
    ['an absolute file address', { DATABASE_URL: 'file:///var/y.db' }, pathOf, '/var/y.db'],
    ['a server', { DATABASE_URL: 'postgres://u:p@db.test:5433/pay' }, placeOf, 'db.test:5433/pay'],
    ['a server without password', { DATABASE_URL: 'postgresql://u@[::1]/pay?sslmode=require' }, placeOf, '[::1]/pay'],
    ['a socket', { DATABASE_URL: 'postgres://u@localhost/pay?host=/run/pg' }, placeOf, '/run/pg/pay'],
    ['a router', { ROUTER_SECRETS: 'r'.repeat(16) }, (config) => config.router.kind, 'guarded'],
    ['a manifest', { TRUSTED_DOCUMENTS: './documents.json' }, (config) => config.trustedDocuments, './documents.json'],
    [
      'a key set with a query',
      { JWT_JWKS_URL: 'https://id.test/keys/?p=a' },
      ({ clients }) => clients.kind === 'jwks' && clients.url,
      'https://id.test/keys/?p=a',
    ],
    ['a log level', { LOG_LEVEL: 'silent' }, (config) => config.logLevel, 'silent'],
    [
      'a loopback service',
      { UPSTREAM_URL: 'http://[::1]:1/api', UPSTREAM_SITES: SITES },
      (config) => config.upstream.kind,
      'service',
    ],
    [
      'two sites of one currency',
      {
        UPSTREAM_SITES: SITES.replace(
          /^\[(.*)\]$/,
          (_all, site: string) => `[${site},${site.replace(/"id":"[^"]*"/, '"id":"second"')}]`,
        ),
      },
      (config) => config.upstream.sites?.length,
      2,
    ],
    ['sites of the sandbox', { UPSTREAM_SITES: SITES }, (config) => config.upstream.sites?.length, 1],
  ])('%s', (_name, env, pick, value) => {
    expect(pick(configOf(env))).toEqual(value)
  })

  it('an address of a server whose password cannot be printed', () => {
    const config = configOf({ DATABASE_URL: 'postgres://user:kanarie7@host/db' })
    expect(config.database.kind === 'postgres' && config.database.url.reveal()).toContain('kanarie7')
    expect(`${inspect(config, { depth: 9 })}${JSON.stringify(config)}`).not.toContain('kanarie7')
  })

  it('a result that is frozen throughout', () => {
    const config = configOf({ ...PRODUCTION, ROUTER_SECRETS: 'r'.repeat(16) })
    const thawed: string[] = []
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return
      if (!Object.isFrozen(value)) thawed.push(path)
      for (const [name, member] of Object.entries(value)) visit(member, `${path}.${name}`)
    }
    visit(config, 'config')
    expect(thawed).toEqual([])
  })

  it('the same result from the same arguments', () => {
    const reveal = (config: Config): string[] =>
      [...config.signingKeys, ...config.webhooks.secrets].map((key) => key.reveal())
    expect(reveal(configOf({}))).toEqual(reveal(configOf({})))
  })
})

describe('unknown settings', () => {
  it.each([
    ['WEBHOOK_SECRET', 'WEBHOOK_SECRETS'],
    ['UPSTREAM_SITE', 'UPSTREAM_SITES'],
    ['JWT_JWK_URL', 'JWT_JWKS_URL'],
    ['SIGNING_KEY', 'SIGNING_KEYS'],
    ['ALLOWED_ORIGIN', 'ALLOWED_ORIGINS'],
  ])('%s suggests %s', (name, meant) => {
    expect(faultsOf({ [name]: 'x' })).toEqual([{ setting: name, message: `is not a setting; is ${meant} meant?` }])
  })

  it('suggests nothing far-fetched', () => {
    expect(faultsOf({ JWT_KEY_ROTATION_PERIOD: '1' })).toEqual([
      { setting: 'JWT_KEY_ROTATION_PERIOD', message: 'is not a setting' },
    ])
  })

  it('leaves alone what other programs and orchestrators set', () => {
    expect(
      faultsOf({
        PATH: '/bin',
        npm_lifecycle_event: 'start',
        ROUTER_SERVICE_HOST: '10.0.0.1',
        ROUTER_SERVICE_PORT_HTTP: '80',
        ROUTER_PORT: 'tcp://10.0.0.1:80',
        ROUTER_PORT_80_TCP_ADDR: '10.0.0.1',
      }),
    ).toEqual([])
  })
})
