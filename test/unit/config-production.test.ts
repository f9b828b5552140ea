import { describe, expect, it } from 'vitest'
import { describeFaults, parseConfig } from '../../src/config.ts'
import type { Config } from '../../src/config.ts'
import { ACCOUNT, configOf, faultsOf, PRODUCTION } from './config-environments.ts'

// promise(authentication): In production no check is off by default: `ROUTER_SECRETS`, `JWT_ISSUER` and `JWT_AUDIENCE`
// are required, or disabled explicitly.
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
      'DATABASE_URL',
      'JWT_AUDIENCE',
      'JWT_ISSUER',
      'JWT_SECRETS',
      'PUBLIC_URL',
      'ROUTER_SECRETS',
      'SIGNING_KEYS',
      'UPSTREAM_ENVIRONMENT',
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
      JWT_SECRETS: undefined,
      JWT_JWKS_URL: 'https://id.example.test/keys',
      JWT_ISSUER: 'https://id.example.test/',
      JWT_AUDIENCE: 'payments',
    })
    expect(clients).toEqual({
      kind: 'jwks',
      url: 'https://id.example.test/keys',
      issuer: 'https://id.example.test/',
      scopeClaims: null,
      scopePrefix: null,
      audience: 'payments',
    })
  })
})

describe('parseConfig of one secret of client tokens', () => {
  it('takes JWT_SECRET for a list of one, and refuses both', () => {
    const secret = PRODUCTION['JWT_SECRETS']
    expect(configOf({ JWT_SECRET: secret })).toEqual(configOf({ JWT_SECRETS: secret }))
    const message = 'and JWT_SECRETS exclude each other: set one of them'
    expect(faultsOf({ JWT_SECRET: secret, JWT_SECRETS: secret })).toEqual([{ setting: 'JWT_SECRET', message }])
  })
})

describe('parseConfig, where real money moves', () => {
  it.each([undefined, '', 'development', 'test'])(
    'is in production with NODE_ENV %j, and asks for all of it',
    (mode) => {
      const real = { ...PRODUCTION, UPSTREAM_ENVIRONMENT: 'production', NODE_ENV: mode }
      expect(configOf(real)).toMatchObject({ production: true, generated: [] })
      const named = faultsOf({ UPSTREAM_ENVIRONMENT: 'production', NODE_ENV: mode }).map(({ setting }) => setting)
      expect(named.toSorted()).toEqual(
        Object.keys(PRODUCTION)
          .filter((name) => name !== 'NODE_ENV' && name !== 'UPSTREAM_ENVIRONMENT')
          .toSorted(),
      )
    },
  )
})

describe('parseConfig with a sandbox account', () => {
  it('is no production, and generates no key', () => {
    expect(configOf(ACCOUNT)).toMatchObject({
      production: false,
      generated: [],
      router: { kind: 'open' },
      clients: { issuer: null, audience: null },
      monitoring: { admin: null, metrics: { kind: 'everybody' } },
      warnings: [],
    })
  })

  it('names every key that is missing at once, and says how to get it', () => {
    const result = parseConfig({ UPSTREAM_URL: ACCOUNT['UPSTREAM_URL'] }, () => {
      throw new Error('a key was generated')
    })
    const lines = describeFaults(result.ok ? [] : result.faults).split('\n')
    expect(lines.map((line) => line.replace(/ .*/, '')).toSorted()).toEqual([
      'JWT_SECRETS',
      'SIGNING_KEYS',
      'UPSTREAM_SITES',
      'WEBHOOK_SECRETS',
    ])
    expect(lines.filter((line) => line.includes('openssl rand -hex 32'))).toHaveLength(2)
  })
})

describe('what production leaves open', () => {
  it('is nothing, and no warning, with every setting in place', () => {
    const config = configOf(PRODUCTION)
    expect(config).toMatchObject({
      warnings: [],
      router: { kind: 'guarded' },
      monitoring: { admin: { host: '127.0.0.1', port: 9464 }, metrics: { kind: 'nobody' } },
    })
  })

  it.each<[string, string, (config: Config) => unknown, unknown]>([
    ['ROUTER_SECRETS', 'none', ({ router }) => router.kind, 'open'],
    ['JWT_ISSUER', 'any', ({ clients }) => clients.issuer, null],
    ['JWT_AUDIENCE', 'any', ({ clients }) => clients.audience, null],
    ['DATABASE_URL', 'postgres://u:p@db.test/pay?sslmode=no-verify', ({ database }) => database.kind, 'postgres'],
  ])('has a warning: %s=%s', (setting, value, pick, open) => {
    const config = configOf({ ...PRODUCTION, [setting]: value })
    expect(pick(config)).toBe(open)
    expect(config.warnings).toEqual([{ setting, message: expect.stringContaining(setting) as string }])
    expect(configOf({ [setting]: value }).warnings).toEqual([])
  })

  it('is not the verification of certificates', () => {
    const switched = { NODE_TLS_REJECT_UNAUTHORIZED: '0' }
    expect(faultsOf({ ...PRODUCTION, ...switched })).toEqual([
      { setting: 'NODE_TLS_REJECT_UNAUTHORIZED', message: expect.stringContaining('NODE_EXTRA_CA_CERTS') as string },
    ])
    expect(faultsOf({ ...PRODUCTION, NODE_TLS_REJECT_UNAUTHORIZED: '1' })).toEqual([])
    expect(faultsOf({ ...ACCOUNT, ...switched })).toEqual([])
  })
})
