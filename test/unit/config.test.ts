import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import type { Config, Environment } from '../../src/config.ts'
import { SOCKET_LIMITS } from '../../src/config/limits.ts'
import { SETTINGS, settingsIn } from '../../src/config/settings.ts'
import { Secret } from '../../src/keys/key-ring.ts'
import { ACCOUNT, configOf, faultsOf, generate, PRODUCTION, SITES } from './config-environments.ts'

const pathOf = ({ database }: Config) => database.kind === 'sqlite' && database.path
const placeOf = ({ database }: Config) => database.kind === 'postgres' && database.place

describe('parseConfig without any setting', () => {
  it('runs on the built-in sandbox with generated keys, and names them', () => {
    const config = configOf({})
    expect(config).toMatchObject({
      production: false,
      http: { host: '127.0.0.1', port: 4000, publicUrl: 'http://127.0.0.1:4000', allowedOrigins: ['loopback'] },
      upstream: {
        kind: 'built-in-sandbox',
        port: 4010,
        environment: 'sandbox',
        sites: null,
        statePath: 'data/sandbox.db',
      },
      clients: { kind: 'secret', issuer: null, audience: null },
      router: { kind: 'open' },
      callbackOrigins: [],
      traces: { endpoint: null, serviceName: 'payments-subgraph', sampler: 'parentbased_always_on' },
      database: { kind: 'sqlite', path: './data/payments.db' },
      trustedDocuments: null,
      logLevel: 'info',
    })
    expect([...config.generated].sort()).toEqual(['JWT_SECRETS', 'SIGNING_KEYS', 'WEBHOOK_SECRETS'])
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
    expect(configOf({ PORT: '', UPSTREAM_URL: '', JWT_SECRETS: '', UPSTREAM_FLAVOUR: '' })).toEqual(configOf({}))
  })

  it('generates only what is unset', () => {
    expect(configOf({ JWT_SECRETS: PRODUCTION['JWT_SECRETS'] }).generated).not.toContain('JWT_SECRETS')
    expect(configOf({ JWT_JWKS_URL: 'https://id.example.test/keys' }).generated).not.toContain('JWT_SECRETS')
  })
})

describe('parseConfig reads', () => {
  const redisOf = (url: string) => configOf({ DATABASE_URL: 'postgres://u@db.test/pay', REDIS_URL: url }).redis

  it('whether links tell the payments API the reference', () => {
    const read = (value: string) => parseConfig({ UPSTREAM_LINK_REFERENCE: value })
    expect(
      [read(''), read('meta_data'), read('off')].map((result) => result.ok && result.config.sendLinkReference),
    ).toEqual([true, true, false])
    expect(read('external_id')).toMatchObject({ ok: false, faults: [{ setting: 'UPSTREAM_LINK_REFERENCE' }] })
  })

  it('the address of a Redis server', () => {
    const plain = { tls: false, username: null, password: null, database: 0, cluster: false }
    expect(configOf({}).redis).toBeNull()
    expect(redisOf('redis://[::1]')).toEqual({ ...plain, host: '::1', port: 6379 })
    expect(redisOf('redis://h.test:1/15?cluster=false')).toEqual({ ...plain, host: 'h.test', port: 1, database: 15 })
    expect(redisOf('rediss://h.test?cluster=true')).toMatchObject({ tls: true, cluster: true })
    const secured = redisOf('rediss://app:p%40ss@h.test/')
    expect(secured).toMatchObject({ username: 'app', password: expect.any(Secret) })
    expect(secured?.password?.reveal()).toBe('p@ss')
  })

  it.each<[string, Environment, (config: Config) => unknown, unknown]>([
    [
      'proxies, by names in lower case first',
      {
        HTTPS_PROXY: 'http://a.test',
        https_proxy: 'b.test:3128',
        HTTP_PROXY: 'https://user:pass@c.test/',
        NO_PROXY: '.svc, d',
      },
      (config) => config.proxies,
      {
        http: 'https://user:pass@c.test/',
        https: 'http://b.test:3128/',
        none: '.svc, d,localhost,127.0.0.1,::1',
      },
    ],
    ['a free port', { PORT: '0' }, (config) => config.http.port, 0],
    ['all addresses', { HOST: '0.0.0.0' }, (config) => config.http.publicUrl, 'http://127.0.0.1:4000'],
    ['an IPv6 host', { HOST: '::1' }, (config) => config.http.publicUrl, 'http://[::1]:4000'],
    ['a public address', { PUBLIC_URL: 'https://a.test:443//' }, (config) => config.http.publicUrl, 'https://a.test'],
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
      'origins of this machine',
      { ALLOWED_ORIGINS: 'https://a.test, loopback' },
      (config) => config.http.allowedOrigins,
      ['loopback', 'https://a.test'],
    ],
    [
      'proxies of ours',
      { TRUST_PROXY: '203.0.113.7, 2001:db8::/32,loopback' },
      (config) => config.http.limits.trustProxy,
      ['203.0.113.7', '2001:db8::/32', '127.0.0.0/8', '::1/128'],
    ],
    [
      'limits of sockets, by their names',
      { SOCKET_LIMITS: 'streams=50, perAddress=0' },
      (config) => config.http.socketLimits,
      { ...SOCKET_LIMITS, streams: 50, perAddress: 0 },
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
    ['a pooler', { DATABASE_URL: 'postgres://u@db.test/pay?pooler=transaction' }, placeOf, 'db.test/pay'],
    ['a router', { ROUTER_SECRETS: 'r'.repeat(16) }, (config) => config.router.kind, 'guarded'],
    ['an admin port', { ADMIN_PORT: '0' }, (config) => config.monitoring.admin, { host: '127.0.0.1', port: 0 }],
    ['no admin port', { ...PRODUCTION, ADMIN_PORT: 'off' }, (config) => config.monitoring.admin, null],
    ['an admin host', { ...PRODUCTION, ADMIN_HOST: '::' }, (config) => config.monitoring.admin?.host, '::'],
    ['a token', { METRICS_TOKEN: 'm'.repeat(16) }, (config) => config.monitoring.metrics.kind, 'token'],
    ['a manifest', { TRUSTED_DOCUMENTS: './documents.json' }, (config) => config.trustedDocuments, './documents.json'],
    [
      'a key set with a query',
      { JWT_JWKS_URL: 'https://id.test/keys/?p=a' },
      ({ clients }) => clients.kind === 'jwks' && clients.url,
      'https://id.test/keys/?p=a',
    ],
    ['no shortcut', { SHORTCUTS: 'none' }, (config) => config.shortcuts, []],
    [
      'some shortcuts',
      { SHORTCUTS: 'recentRows, publicAnswers' },
      (config) => config.shortcuts,
      ['recentRows', 'publicAnswers'],
    ],
    ['a log level', { LOG_LEVEL: 'silent' }, (config) => config.logLevel, 'silent'],
    [
      'a loopback service',
      { ...ACCOUNT, UPSTREAM_URL: 'http://[::1]:1/api' },
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
})

describe('unknown settings', () => {
  it.each([
    ['WEBHOOK_SECRET', 'WEBHOOK_SECRETS'],
    ['REDIS_URI', 'REDIS_URL'],
    ['DATABAES_URL', 'DATABASE_URL'],
    ['LOG_LEVL', 'LOG_LEVEL'],
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
        NODE_OPTIONS: '--inspect',
        FTP_PROXY: 'http://proxy:3128',
        GOPROXY: 'off',
        OTEL_SERVICE_NAME: 'payments',
        ROUTER_SERVICE_HOST: '10.0.0.1',
        ROUTER_SERVICE_PORT_HTTP: '80',
        ROUTER_PORT: 'tcp://10.0.0.1:80',
        ROUTER_PORT_80_TCP_ADDR: '10.0.0.1',
      }),
    ).toEqual([])
  })
})

describe('secrets in files', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'settings-'))
    writeFileSync(join(folder, 'secret'), 'webhook-secret-of-a-file\n')
    writeFileSync(join(folder, 'empty'), '\n')
    writeFileSync(join(folder, 'edited'), '\uFEFFwebhook-secret-of-a-file \r\n\r\n')
    writeFileSync(join(folder, 'utf-16'), Buffer.from('\uFEFFwebhook-secret-of-a-file', 'utf16le'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))
  const secrets = settingsIn(SETTINGS).flatMap((setting) => (setting.secret ? [setting.name] : []))

  it.each(['secret', 'edited'])('are read for every setting that contains one, as in the file %s', (file) => {
    const { webhooks } = configOf({ WEBHOOK_SECRETS_FILE: join(folder, file) })
    expect(webhooks.secrets.map((secret) => secret.reveal())).toEqual(['webhook-secret-of-a-file'])
    expect(secrets).toEqual(expect.arrayContaining(['DATABASE_URL', 'JWT_SECRETS', 'SIGNING_KEYS', 'UPSTREAM_SITES']))
  })

  it.each(secrets)('are required to be readable, as %s_FILE', (name) => {
    const message = 'names a file that cannot be read (ENOENT)'
    expect(faultsOf({ [`${name}_FILE`]: join(folder, 'none') })).toEqual([{ setting: `${name}_FILE`, message }])
  })

  it('must be UTF-8 and not empty, of a secret, and not be beside the setting itself', () => {
    const fault = (env: Record<string, string>) => faultsOf(env).map(({ setting, message }) => `${setting} ${message}`)
    expect(fault({ WEBHOOK_SECRETS_FILE: join(folder, 'empty') })).toEqual(['WEBHOOK_SECRETS_FILE names an empty file'])
    expect(fault({ WEBHOOK_SECRETS_FILE: join(folder, 'utf-16'), PORT_FILE: folder })).toEqual([
      'WEBHOOK_SECRETS_FILE names a file that is not UTF-8: save it as such',
      'PORT_FILE is not read: set PORT',
    ])
    expect(fault({ WEBHOOK_SECRETS_FILE: join(folder, 'secret'), WEBHOOK_SECRETS: 'webhook-secret-1' })).toEqual([
      'WEBHOOK_SECRETS_FILE and WEBHOOK_SECRETS exclude each other: set one of them',
    ])
  })
})

describe('quotation marks around a value', () => {
  it.each(['"', "'", '”'])('%s are a fault, and the value is not shown', (mark) => {
    const message = 'is in quotation marks, which are not removed: leave them out'
    expect(faultsOf({ WEBHOOK_SECRETS: `${mark}webhook-secret-1${mark}`, PORT: `${mark}80${mark}` })).toEqual([
      { setting: 'PORT', message },
      { setting: 'WEBHOOK_SECRETS', message },
    ])
  })
})
