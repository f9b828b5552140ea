import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { spawnApp, startApp } from '../faults/killable-app.ts'

const CANARY = 'kanarie-of-a-crash-0123456789abcdef'
const KINDS = ['exception', 'rejection', 'rejected text'] as const

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payments-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

// promise(data): Neither a crash nor a failed start prints a value.
describe('a process that crashes', () => {
  it.each(KINDS)('ends with 1 and tells nothing of what the %s held', async (kind) => {
    const env = { CRASH_KIND: kind, CRASH_TEXT: CANARY, LOG_LEVEL: 'debug' }
    const execArgv = ['--import', new URL('./crash-on-signal.ts', import.meta.url).href]
    const app = await startApp({ path: join(folder, 'payments.db'), env, execArgv })
    expect(await app.kill('SIGUSR2')).toEqual({ code: 1, signal: null })
    expect(app.output()).toMatch(/"level":"fatal".*"msg":"uncaught error: the process exits"/)
    expect(app.output()).not.toContain(CANARY)
    const files = readdirSync(folder).map((file) => readFileSync(join(folder, file)).toString('latin1'))
    expect(files.length).toBeGreaterThan(0)
    expect(files.join()).not.toContain(CANARY)
  })
})

const SITE = { id: 'au', appId: 'app-id', secretKey: 'secret-key-of-the-tests', currencies: ['AUD'] }
const SHORT = CANARY.slice(0, 12)
const sites = (over: object) => ({ UPSTREAM_SITES: JSON.stringify([{ ...SITE, ...over }]) })
const KEYS = ['WEBHOOK_SECRETS', 'SIGNING_KEYS', 'JWT_SECRET', 'ROUTER_SECRETS'] as const

/** Environments with a canary as an invalid value of a setting: too short, of another format, or in the wrong place. */
const WRONG: readonly Readonly<Record<string, string>>[] = [
  'NODE_ENV',
  'PORT',
  'PUBLIC_URL',
  'ALLOWED_ORIGINS',
  'UPSTREAM_URL',
  'UPSTREAM_ENVIRONMENT',
  'UPSTREAM_SITES',
  'SANDBOX_PORT',
  'JWT_JWKS_URL',
  'DATABASE_URL',
  'REDIS_URL',
  'LOG_LEVEL',
]
  .map((setting): Record<string, string> => ({ [setting]: CANARY }))
  .concat(
    KEYS.flatMap((setting) => [{ [setting]: SHORT }, { [setting]: `${CANARY}\n` }]),
    [{ SIGNING_KEYS: `${CANARY},${CANARY}` }, { JWT_ISSUER: `${CANARY}\n` }, { JWT_AUDIENCE: ` ${CANARY}` }],
    [`https://${CANARY}:${CANARY}@127.0.0.1/api`, `https://127.0.0.1/api?key=${CANARY}`].map((url) => ({
      UPSTREAM_URL: url,
    })),
    { DATABASE_URL: `postgres://${CANARY}:${CANARY}@127.0.0.1:1/${CANARY}\n` },
    sites({ secretKey: `${CANARY} ` }),
    sites({ [CANARY]: CANARY }),
    { UPSTREAM_SITES: sites({ secretKey: CANARY }).UPSTREAM_SITES.slice(0, -3) },
    { SIGNING_KEYS: CANARY, UPSTREAM_URL: 'https://127.0.0.1/api', ...sites({ secretKey: CANARY }) },
    { JWT_SECRTE: CANARY },
  )

describe('a configuration that cannot be used', () => {
  it.each(WRONG)('is described without the value: %j', (env) => {
    const parsed = parseConfig(env)
    expect(parsed.ok).toBe(false)
    expect(JSON.stringify(parsed)).not.toContain(SHORT)
  })

  it('ends the process with 1 and without the value', async () => {
    const app = spawnApp({
      path: join(folder, 'payments.db'),
      env: Object.fromEntries(WRONG.flatMap((env) => Object.entries(env))),
    })
    expect(await app.exited).toEqual({ code: 1, signal: null })
    expect(app.output()).toContain('The configuration cannot be used')
    expect(app.output()).not.toContain(SHORT)
  })
})
