import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { backUp } from '../../src/store/sqlite/files.ts'
import { PRODUCTION, SECRETS } from '../support/network.ts'
import { startChild, startReady, temporaryFolder } from '../support/process.ts'

const SITES = JSON.stringify([{ id: 'au', appId: 'app-au', secretKey: 'secret-key-of-a-site', currencies: ['AUD'] }])
const ANSWERS_FOR_SURE = 120_000

/** Settings of a sandbox account of a payments API on another host. */
function accountSettings(folder: string): Record<string, string> {
  return {
    PORT: '0',
    UPSTREAM_URL: 'https://payments.invalid/api',
    UPSTREAM_SITES: SITES,
    WEBHOOK_SECRETS: SECRETS.webhook,
    SIGNING_KEYS: SECRETS.signing,
    JWT_SECRETS: SECRETS.jwt,
    DATABASE_URL: `file:${join(folder, 'payments.db')}`,
  }
}

const permissionsOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** Returns the entries of a folder whose permissions are not those of a private file (600). */
const openTo = (folder: string) =>
  readdirSync(folder)
    .map((name) => `${name} ${permissionsOf(join(folder, name))}`)
    .filter((line) => !line.endsWith(' 600'))

// promise(authentication): Keys are generated for the built-in sandbox only; databases, backups and keys are readable
// by their owner alone.
describe('a start on the built-in sandbox', { timeout: ANSWERS_FOR_SURE }, () => {
  it('prints a token, and keeps keys and data for their owner alone', async () => {
    const folder = temporaryFolder()
    const data = join(folder, 'data')
    const { child, ended, output } = await startReady({
      env: { PORT: '0', SANDBOX_PORT: '0' },
      cwd: folder,
      under: ['/bin/sh', '-c', 'umask 022; exec "$0" "$@"'],
    })
    await expect.poll(output, { timeout: ANSWERS_FOR_SURE }).toMatch(/Bearer [\w-]+\.[\w-]+\.[\w-]+/)
    expect(permissionsOf(data)).toBe('700')
    expect(readdirSync(data)).toEqual(
      expect.arrayContaining([
        'dev-keys.json',
        'payments.db',
        'payments.db-wal',
        'payments.db-shm',
        'payments.db.lock',
      ]),
    )
    expect(openTo(data)).toEqual([])
    backUp({ from: join(data, 'payments.db'), to: join(data, 'backup.db') })
    expect(openTo(data)).toEqual([])
    child.kill('SIGTERM')
    await ended
    expect(openTo(data)).toEqual([])
  })

  it('closes the folder that an earlier version left open', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'data'), { mode: 0o755 })
    await startReady({ env: { PORT: '0', SANDBOX_PORT: '0' }, cwd: folder })
    expect(permissionsOf(join(folder, 'data'))).toBe('700')
  })
})

describe('a start with a sandbox account', { timeout: ANSWERS_FOR_SURE }, () => {
  it('prints no token, makes no key, and has no shop that anybody may buy in', async () => {
    const folder = temporaryFolder()
    const { url, output } = await startReady({ env: accountSettings(folder), cwd: folder })
    await expect.poll(output, { timeout: ANSWERS_FOR_SURE }).toContain('payments-subgraph is ready')
    expect(output()).not.toMatch(/bearer|eyJ|\/shop/i)
    expect(existsSync(join(folder, 'data'))).toBe(false)
    for (const path of ['/shop', '/shop/catalogue', '/sandbox', '/'])
      expect([path, (await fetch(`${url}${path}`, { redirect: 'manual' })).status]).toEqual([path, 404])
    expect((await fetch(`${url}/shop/orders`, { method: 'POST' })).status).toBe(404)
  })

  it('ends without its keys, names all of them at once, and makes none', async () => {
    const folder = temporaryFolder()
    const env = { ...accountSettings(folder), WEBHOOK_SECRETS: '', SIGNING_KEYS: '', JWT_SECRETS: '' }
    const { ended, output } = startChild({ env, cwd: folder })
    expect(await ended).toMatchObject({ code: 1 })
    for (const name of ['WEBHOOK_SECRETS', 'SIGNING_KEYS', 'JWT_SECRETS'])
      expect(output()).toMatch(new RegExp(`^${name} is required`, 'm'))
    expect(output()).toContain('openssl rand -hex 32')
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('a start where real money moves', { timeout: ANSWERS_FOR_SURE }, () => {
  it('is one in production whatever NODE_ENV says, and logs what it was told to leave open', async () => {
    const folder = temporaryFolder()
    const { NODE_ENV: _mode, ...rest } = PRODUCTION
    const env = { ...accountSettings(folder), ...rest, UPSTREAM_ENVIRONMENT: 'production', NODE_ENV: 'development' }
    const { url, output } = await startReady({ env, cwd: folder })
    const warned = [...output().matchAll(/"level":"warn".*?"setting":"(\w+)"/g)].map(([, setting = '']) => setting)
    expect(warned.toSorted()).toEqual(['JWT_AUDIENCE', 'JWT_ISSUER', 'ROUTER_SECRETS'])
    const introspected = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ __schema { queryType { name } } }' }),
    })
    expect(await introspected.json()).toMatchObject({
      errors: [{ message: expect.stringContaining('introspect') as string }],
    })
    expect((await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } })).status).toBe(400)
    expect((await fetch(`${url}/metrics`)).status).toBe(404)
    expect(output()).not.toMatch(/bearer|payments-subgraph is ready/i)
  })

  it('serves metrics where its log says, on the loopback', async () => {
    const folder = temporaryFolder()
    const env = { ...accountSettings(folder), ...PRODUCTION, ADMIN_PORT: '0' }
    const { output } = await startReady({ env, cwd: folder })
    const [, adminUrl = ''] = /"adminUrl":"(http:\/\/127\.0\.0\.1:\d+)\/"/.exec(output()) ?? []
    expect((await fetch(`${adminUrl}/metrics`)).status).toBe(200)
  })

  it('ends when the admin port is taken, and says so', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await new Promise((resolve) => other.once('listening', resolve))
    const folder = temporaryFolder()
    const taken = String((other.address() as AddressInfo).port)
    const env = { ...accountSettings(folder), ...PRODUCTION, ADMIN_PORT: taken }
    const { ended, output } = startChild({ env, cwd: folder })
    expect(await ended).toMatchObject({ code: 1 })
    // The port is held by the process of this test.
    expect(output()).toContain(
      `ADMIN_PORT names a port that is already in use: ${taken}, by node (process ${process.pid}).`,
    )
    expect(output()).not.toMatch(/"stack"|node:net| at /)
  })

  it('ends at once when no folder can be made for the database, and says so', async () => {
    const folder = temporaryFolder()
    const env = {
      ...accountSettings(folder),
      ...PRODUCTION,
      ADMIN_PORT: '0',
      DATABASE_URL: 'file:/proc/payments/payments.db',
    }
    const { ended, output } = startChild({ env, cwd: folder })
    expect(await ended).toMatchObject({ code: 1 })
    expect(output()).toContain('The database that DATABASE_URL names cannot be opened (ENOENT).')
  })

  it.each([
    ['DATABASE_URL', {}, '/proc/payments/payments.db'],
    ['SANDBOX_DATABASE_URL', { SANDBOX_DATABASE_URL: 'file:/proc/sandbox/sandbox.db' }, '/proc/sandbox/sandbox.db'],
  ])('ends at once when the built-in sandbox can keep nothing there, and names %s', async (setting, state, path) => {
    const folder = temporaryFolder()
    const env = { PORT: '0', SANDBOX_PORT: '0', DATABASE_URL: 'file:/proc/payments/payments.db', ...state }
    const { ended, output } = startChild({ env, cwd: folder })
    expect(await ended).toMatchObject({ code: 1 })
    expect(output()).toContain(`Could not start: ${setting} names ${path}, where no file can be written (ENOENT).\n`)
    expect(output()).not.toMatch(/"stack"| at |sandbox\.js/)
  })
})
