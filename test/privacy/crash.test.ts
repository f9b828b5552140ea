import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
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

const SITE = { id: 'au', appId: 'app-id', secretKey: `${CANARY} `, currencies: ['AUD'] }

describe('a configuration that cannot be used', () => {
  it('ends the process with 1 and without the value', async () => {
    const app = spawnApp({
      path: join(folder, 'payments.db'),
      env: {
        PORT: CANARY,
        UPSTREAM_URL: `https://${CANARY}:${CANARY}@127.0.0.1/api`,
        UPSTREAM_SITES: JSON.stringify([SITE]),
        SIGNING_KEYS: `${CANARY}\n`,
        JWT_SECRTE: CANARY,
      },
    })
    expect(await app.exited).toEqual({ code: 1, signal: null })
    expect(app.output()).toContain('The configuration cannot be used')
    expect(app.output()).not.toContain(CANARY)
  })
})
