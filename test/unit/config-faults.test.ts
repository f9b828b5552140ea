import { describe, expect, it } from 'vitest'
import { describeFaults, type Environment, readAppConfig } from '../../src/config.ts'
import { ACCOUNT, faultsOf } from './config-environments.ts'

const LONG = 'x'.repeat(32)
const SITE = { id: 'au', appId: 'app-au', secretKey: 'site-secret-key-of-32-bytes-or-more', currencies: ['AUD'] }

const sites = (...list: unknown[]): string => JSON.stringify(list)

/** Settings that an external payments API requires, unlike the built-in sandbox. */
const KEYS = { UPSTREAM_SITES: sites(SITE), WEBHOOK_SECRETS: LONG, SIGNING_KEYS: LONG, JWT_SECRETS: LONG }

const POSTGRES = { DATABASE_URL: 'postgres://u@db.test/pay' }

/** Invalid setting, its value, a part of the message, and other settings that are required. */
const TABLE: [string, string, RegExp, Environment?][] = [
  ['NODE_ENV', 'prod', /one of development, test, production/],
  ['PORT', '65536', /0 to 65535/],
  ['SANDBOX_PORT', '4e3', /0 to 65535/],
  ['SANDBOX_PORT', '4000', /same as PORT/],
  ['HOST', 'http://localhost', /host name/],
  ['PUBLIC_URL', 'http://shop.test', /https:/],
  ['PUBLIC_URL', 'https://user:pass@shop.test', /user name or password/],
  ['PUBLIC_URL', 'https://shop.test/?a=1', /must not contain a query/],
  ['PUBLIC_URL', 'https://shop.test/#a', /must not contain a fragment/],
  ['PUBLIC_URL', 'https://shop.test/pay', /must not contain a path/],
  ['PUBLIC_URL', 'https://shop.test\n', /white space or line breaks/],
  ['UPSTREAM_URL', 'https://pay.test', /end in \/api/, KEYS],
  ['UPSTREAM_URL', 'http://pay.test/api', /https:/, KEYS],
  ['UPSTREAM_SITES', '', /required/, { ...KEYS, UPSTREAM_URL: 'https://pay.test/api' }],
  [
    'WEBHOOK_SECRETS',
    '',
    /required with UPSTREAM_URL.*payments API signs/,
    { ...KEYS, UPSTREAM_URL: 'https://pay.test/api' },
  ],
  ['SIGNING_KEYS', '', /required with UPSTREAM_URL.*openssl rand/, { ...KEYS, UPSTREAM_URL: 'https://pay.test/api' }],
  [
    'JWT_SECRETS',
    '',
    /required with UPSTREAM_URL.*openssl rand.*JWT_JWKS_URL/,
    { ...KEYS, UPSTREAM_URL: 'https://pay.test/api' },
  ],
  ['ADMIN_HOST', 'http://localhost', /host name/],
  ['ADMIN_PORT', '65536', /0 to 65535, or off/],
  ['ADMIN_PORT', '4000', /same as PORT/],
  ['METRICS_TOKEN', 'short', /16 characters/],
  ['METRICS_TOKEN', 'é'.repeat(16), /ASCII/],
  ['PGSSLMODE', 'require', /sslmode into DATABASE_URL/, POSTGRES],
  ['UPSTREAM_ENVIRONMENT', 'live', /one of sandbox, production/],
  ['UPSTREAM_SITES', 'no JSON', /JSON list/],
  ['UPSTREAM_SITES', '{}', /JSON list/],
  ['UPSTREAM_SITES', '[]', /at least one site/],
  ['UPSTREAM_SITES', '["a"]', /entry 1 must be an object/],
  ['UPSTREAM_SITES', sites(SITE, { ...SITE, currencies: ['JPY'] }), /entry 2 has the id/],
  ['UPSTREAM_SITES', sites({ ...SITE, id: 'Au' }), /entry 1, id, must be made of/],
  ['UPSTREAM_SITES', sites({ ...SITE, appId: 7 }), /entry 1, appId, must be a text/],
  ['UPSTREAM_SITES', sites({ ...SITE, secretKey: 'a\nb' }), /entry 1, secretKey, .*white space/],
  ['UPSTREAM_SITES', sites({ ...SITE, secretKey: undefined }), /entry 1, secretKey, must be a text/],
  ['UPSTREAM_SITES', sites({ ...SITE, currencies: [] }), /entry 1, currencies, .*at least one/],
  ['UPSTREAM_SITES', sites({ ...SITE, currencies: ['AUD', 'usd'] }), /entry 1, currencies entry 2, .*capital letters/],
  ['UPSTREAM_SITES', sites({ ...SITE, currencies: 'AUD' }), /entry 1, currencies, must be a list/],
  ['UPSTREAM_SITES', sites({ ...SITE, v1Payouts: 'yes' }), /entry 1, v1Payouts, must be true, false, or an object/],
  [
    'UPSTREAM_SITES',
    sites({ ...SITE, v1Payouts: { webhook: 'a' } }),
    /entry 1, v1Payouts, has a field that is not known/,
  ],
  ['UPSTREAM_SITES', sites({ ...SITE, v1Payouts: { externalId: 'A b' } }), /entry 1, v1Payouts.* must be/],
  ['UPSTREAM_SITES', sites({ ...SITE, v1Payouts: { externalId: 'description' } }), /v1Payouts, names a field twice/],
  ['UPSTREAM_SITES', sites({ ...SITE, currencies: ['JPY'], v1Payouts: true }), /v1Payouts, needs the currency AUD/],
  ['UPSTREAM_SITES', sites({ ...SITE, paths: { cancelPayin: 'v2/x?' } }), /paths cancelPayin, must be a path/],
  ['UPSTREAM_SITES', sites({ ...SITE, paths: { refund: '/a' } }), /entry 1, paths, must be an object of paths/],
  ['UPSTREAM_SITES', sites({ ...SITE, extra: 1 }), /entry 1 has a field that is not known/],
  ['TRUST_PROXY', 'true', /entry 1 must be an IP address, a network/],
  ['TRUST_PROXY', '10.0.0.1,', /entry 2 must be/],
  ['TRUST_PROXY', '10.0.0.0/33', /entry 1 must be/],
  ['TRUST_PROXY', '0.0.0.0/0', /entry 1 must be/],
  ['SOCKET_LIMITS', 'streams', /entry 1 must be name=number, where name is one of initMs,/],
  ['SOCKET_LIMITS', 'streams=', /entry 1 must be name=number/],
  ['SOCKET_LIMITS', 'streams=1,', /entry 2 must be name=number/],
  ['SOCKET_LIMITS', 'streams=0', /entry 1 must be greater than 0/],
  ['MAX_CONNECTIONS_PER_ADDRESS', '-1', /0 to 1000000/],
  ['MAX_FAILED_AUTHENTICATIONS', '0', /1 to 1000000/],
  ['GRAPHQL_LIMITS', 'tokens=1,tokens=2001', /entry 2 must be at most 2000/],
  ['GRAPHQL_LIMITS', 'cost=0', /entry 1 must be greater than 0/],
  ['GRAPHQL_MAX_IN_FLIGHT', 'many', /1 to 100000/],
  ['WARM_UP_MS', '-1', /0 to 60000/],
  ['WEBHOOK_SECRETS', 'x'.repeat(15), /entry 1 .*16 characters/],
  ['WEBHOOK_SECRETS', `${LONG},short`, /entry 2 .*16 characters/],
  ['WEBHOOK_SECRETS', `${LONG}, ${LONG}y`, /entry 2 .*white space/],
  ['WEBHOOK_SECRETS', `${LONG}\n`, /entry 1 .*white space/],
  ['WEBHOOK_SECRETS', `${LONG}\u200B`, /entry 1 .*invisible/],
  ['WEBHOOK_SECRETS', `${LONG},`, /entry 2 is empty/],
  ['WEBHOOK_SECRETS', `${LONG},y${LONG},${LONG}`, /entry 3 repeats/],
  ['WEBHOOK_SECRETS', SITE.secretKey, /entry 1 is the secretKey/, { UPSTREAM_SITES: sites(SITE) }],
  ['SIGNING_KEYS', 'x'.repeat(31), /entry 1 .*32 bytes/],
  ['SIGNING_KEYS', `${LONG},${LONG}`, /entry 2 repeats/],
  ['SIGNING_KEYS', `${LONG},${SITE.secretKey}`, /entry 2 is the secretKey/, { UPSTREAM_SITES: sites(SITE) }],
  ['JWT_SECRETS', 'x'.repeat(31), /32 bytes/],
  ['JWT_SECRETS', `${LONG}\r\n`, /white space/],
  ['JWT_SECRETS', LONG, /exclude each other/, { JWT_JWKS_URL: 'https://id.test/keys' }],
  ['JWT_JWKS_URL', 'http://id.test/keys', /https:/],
  ['JWT_JWKS_URL', 'https://id:pass@id.test/keys', /user name or password/],
  ['JWT_ISSUER', ' issuer', /white space/],
  ['JWT_AUDIENCE', 'pay\nments', /control characters/],
  ['ROUTER_SECRETS', 'short', /entry 1 .*16 characters/],
  ['ROUTER_SECRETS', 'é'.repeat(16), /entry 1 .*ASCII/],
  ['RETENTION_EVENTS_DAYS', '30', /31 to 36500/, { ARCHIVE_URL: 'none' }],
  ['RETENTION_DELIVERIES_DAYS', '1y', /31 to 36500/, { ARCHIVE_URL: 'none' }],
  ['RETENTION_DELIVERY_KEYS_DAYS', '0', /31 to 36500/],
  ['ARCHIVE_URL', '', /required with RETENTION_EVENTS_DAYS/, { RETENTION_EVENTS_DAYS: '400' }],
  ['ARCHIVE_URL', '/var/archive', /must be file:/],
  ['ARCHIVE_URL', 's3://bucket', /object store can be mounted/],
  ['DATABASE_URL', 'postgres:', /must be postgres:\/\/user/],
  ['DATABASE_URL', 'postgres://u:p@ss@host/db e', /%40/],
  ['DATABASE_URL', 'postgres://u:p#q@host/db', /must be postgres/],
  ['DATABASE_URL', 'postgres://u:p@host/db#q', /%23/],
  ['DATABASE_URL', 'postgres://u:p%q@host/db', /%25/],
  ['DATABASE_URL', 'postgres://host/db', /must name the user/],
  ['DATABASE_URL', 'postgresql://u:p@host', /must name the database/],
  ['DATABASE_URL', 'postgresql://u:p@one,two/db', /must name one host/],
  ['DATABASE_URL', 'postgresql://u:p@host/db?options=-c%20fsync%3Doff', /parameter that is not known/],
  ['DATABASE_URL', 'postgresql://u:p@host/db?sslmode=prefer', /sslmode/],
  [
    'DATABASE_URL',
    'postgresql://u:p@host/db?pooler=statement',
    /pooler one of session, transaction, transaction-prepared/,
  ],
  ['DATABASE_URL', 'mysql://u:p@host/db', /must be file:/],
  ['DATABASE_URL', 'file::memory:', /must name a file/],
  ['REDIS_URL', 'redis://localhost', /only with PostgreSQL in DATABASE_URL/],
  ['REDIS_URL', 'localhost:6379', /must be redis:\/\/user/, POSTGRES],
  ['REDIS_URL', 'redis://:p@ss@host/a b', /%40/, POSTGRES],
  ['REDIS_URL', 'redis://:p%q@host', /%25/, POSTGRES],
  ['REDIS_URL', 'redis://:p@host#q', /%23/, POSTGRES],
  ['REDIS_URL', 'redis://user@host', /password with the user/, POSTGRES],
  ['REDIS_URL', 'redis://host/cache', /number as its database/, POSTGRES],
  ['REDIS_URL', 'redis://host/?family=6', /parameter that is not known/, POSTGRES],
  ['REDIS_URL', 'redis://host/?cluster=yes', /cluster true or false/, POSTGRES],
  ['REDIS_URL', 'redis://host/1?cluster=true', /database 0 of a cluster/, POSTGRES],
  ['ALLOWED_HOSTS', 'https://a.test', /entry 1 must be a host name/],
  ['ALLOWED_HOSTS', 'a.test,b.test:4000', /entry 2 must be a host name/],
  ['ALLOWED_ORIGINS', '*', /entry 1 must be an origin/],
  ['ALLOWED_ORIGINS', 'https://a.test,https://*.b.test', /entry 2 must be an origin/],
  ['CALLBACK_ORIGINS', 'https://a.test/callback', /entry 1 must be an origin/],
  ['CALLBACK_ORIGINS', 'https://a.test,capacitor://b', /entry 2 must begin with http/],
  ['CALLBACK_ORIGINS', 'https://a.test', /needs ROUTER_SECRETS/],
  ['CALLBACK_ORIGIN', 'https://a.test', /CALLBACK_ORIGINS meant/],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', /begins with http/],
  ['HTTPS_PROXY', 'socks5://proxy:1080', /address of an HTTP proxy/],
  ['HTTPS_PROXY', 'http://user:50%off@proxy:3128', /each % of its user name/],
  ['HTTP_PROXY', 'http://a%C3:%A9b@proxy:3128', /each % of its user name/],
  ['http_proxy', 'proxy one', /address of an HTTP proxy/],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://a:b@collector:4318', /without user name/],
  ['TRUSTED_DOCUMENTS', 'a\0b', /control characters/],
  ['LOG_LEVEL', 'verbose', /one of trace/],
  ['SHORTCUTS', 'recentRows,rows', /entry 2 must be one of compiledExecutor, publicAnswers/],
  ['SHORTCUTS', 'recentRows,none', /entry 2 must be/],
  ['UPSTREAM_ULR', 'x', /UPSTREAM_URL meant/],
]

describe('parseConfig refuses', () => {
  it.each(TABLE)('%s = %j', (setting, value, message, others = {}) => {
    const faults = faultsOf({ ...others, [setting]: value })
    expect(faults).toEqual([{ setting, message: expect.stringMatching(message) }])
  })
})

describe('describeFaults', () => {
  it('reports every fault at once, one line each', () => {
    const faults = faultsOf({
      PORT: 'x',
      LOG_LEVEL: 'x',
      JWT_SECRETS: 'x',
      SIGNING_KEYS: 'x',
      UPSTREAM_URL: 'x',
      SANDBOX_X: 'x',
    })
    const lines = describeFaults(faults).split('\n')
    expect(lines.map((line) => line.replace(/ .*/, '')).toSorted()).toEqual([
      'JWT_SECRETS',
      'LOG_LEVEL',
      'PORT',
      'SANDBOX_X',
      'SIGNING_KEYS',
      'UPSTREAM_SITES',
      'UPSTREAM_URL',
      'WEBHOOK_SECRETS',
    ])
  })

  it('never shows a value, whichever setting holds it', () => {
    const canary = 'kanarie7'
    const shapes = [
      canary,
      `${canary}\n`,
      `https://${canary}@${canary}/`,
      `http://${canary}.test/api`,
      `{"${canary}":1}`,
    ]
    const nested = [
      { [canary]: canary },
      { id: canary, appId: canary, secretKey: `${canary} `, currencies: [canary] },
      canary,
    ]
    const settings = [...new Set(TABLE.map(([setting]) => setting))]
    const values = [...shapes, JSON.stringify(nested), `${LONG}${canary},${LONG}${canary}`]
    const messages = settings.flatMap((setting) =>
      values.map((value) => describeFaults(faultsOf({ [setting]: value }))),
    )
    expect(messages.filter((message) => message !== '').length).toBeGreaterThan(100)
    expect(messages.filter((message) => message.includes(canary))).toEqual([])
  })
})

describe('readAppConfig', () => {
  it('reads an environment, and takes a configuration as it is', () => {
    const config = readAppConfig(ACCOUNT)
    expect([config.upstream.url, readAppConfig(config)]).toEqual([ACCOUNT['UPSTREAM_URL'], config])
  })

  it('throws all faults by name, and has no sandbox to start', () => {
    expect(() => readAppConfig({ ...ACCOUNT, PORT: 'x', LOG_LEVEL: 'x' })).toThrow(
      /^PORT .+\nLOG_LEVEL |^LOG_LEVEL .+\nPORT /,
    )
    expect(() => readAppConfig({})).toThrow('UPSTREAM_URL is required')
  })
})
