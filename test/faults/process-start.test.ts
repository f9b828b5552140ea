import { chmodSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { startChild, temporaryFolder, type ChildOptions } from '../support/process.ts'
import { casesOf } from './rounds.ts'

/** Part of every setting that must not be shown. */
const CANARY = 'canary-4711'
const SITES = JSON.stringify([{ id: 'a', appId: 'app-a', secretKey: `${CANARY}-of-a-site`, currencies: ['AUD'] }])

/** Settings with which the program starts. */
function goodSettings(folder: string): Record<string, string> {
  return {
    PORT: '0',
    UPSTREAM_URL: 'http://127.0.0.1:9/api',
    UPSTREAM_SITES: SITES,
    WEBHOOK_SECRETS: `${CANARY}-webhook-secret-0123456789`,
    SIGNING_KEYS: `${CANARY}-signing-key-0123456789abcdef0123456789`,
    JWT_SECRETS: `${CANARY}-client-secret-0123456789abcdef0123456789`,
    DATABASE_URL: `file:${join(folder, CANARY, 'payments.db')}`,
  }
}

/** Root has every permission: run as root, these tests start the program as another user. */
const AS_NOBODY = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []

/** Creates a fault in an empty folder, which is removed after the test. Returns options for the process, if it needs any. */
type Fault = (folder: string) => Partial<ChildOptions> | void

const FAULTS: readonly [what: string, named: string, Fault][] = [
  ['a port that is taken', 'PORT', () => ({ env: { PORT: taken() } })],
  [
    "the built-in sandbox's port is taken",
    'SANDBOX_PORT',
    () => ({ env: { SANDBOX_PORT: taken(), UPSTREAM_URL: '', UPSTREAM_SITES: '' } }),
  ],
  ['a port that is none', 'PORT', () => ({ env: { PORT: CANARY } })],
  ['a setting that is none', 'JWT_SECRTE', () => ({ env: { JWT_SECRTE: CANARY } })],
  ['a host that is none', 'HOST', () => ({ env: { HOST: `${CANARY}.invalid` } })],
  [
    'a data folder that cannot be written to',
    'DATABASE_URL',
    (folder) => {
      chmodSync(folder, 0o555)
      return { under: AS_NOBODY }
    },
  ],
  ['too few open files', 'ulimit -n', () => ({ under: ['/bin/sh', '-c', 'ulimit -n 64; exec "$0" "$@"'] })],
  ['documents that are not there', 'TRUSTED_DOCUMENTS', () => ({ env: { TRUSTED_DOCUMENTS: `/${CANARY}.json` } })],
  ['an admin port that is taken', 'ADMIN_PORT', () => ({ env: { ADMIN_PORT: taken() } })],
  ['an admin host that is none', 'ADMIN_HOST', () => ({ env: { ADMIN_PORT: '0', ADMIN_HOST: `${CANARY}.invalid` } })],
  [
    "a file of the database's certificate that is not there",
    'sslrootcert',
    () => ({ env: { DATABASE_URL: `postgres://u:p@127.0.0.1:9/pay?sslrootcert=/${CANARY}.pem` } }),
  ],
  [
    'development keys that cannot be kept',
    'dev-keys.json',
    (folder) => {
      writeFileSync(join(folder, 'data'), '')
      return { cwd: folder, env: { JWT_SECRETS: '', UPSTREAM_URL: '', UPSTREAM_SITES: '', SANDBOX_PORT: '0' } }
    },
  ],
]

const other = createServer()
const taken = () => String((other.address() as AddressInfo).port)
beforeAll(() => new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve)))
afterAll(() => void other.close())

// promise(process): A failed start names the setting, never its value, and exits with 1.
describe('a start that cannot succeed', { concurrent: true }, () => {
  it.for(casesOf('starts that cannot succeed', FAULTS, 8))(
    'ends at once with 1, and names what to look at: %s',
    async ([, named, fault], { expect, onTestFinished }) => {
      const folder = temporaryFolder(onTestFinished)
      const { env, ...rest } = fault(folder) ?? {}
      const child = startChild({ ...rest, env: { ...goodSettings(folder), ...env } }, onTestFinished)
      const { code, signal } = await child.ended
      expect({ code, signal }).toEqual({ code: 1, signal: null })
      const output = child.output()
      expect(output).toMatch(new RegExp(`\\b${named}\\b`))
      expect(output).not.toContain(CANARY)
      expect(output).not.toContain('    at ')
    },
  )
})
