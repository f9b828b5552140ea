import { execFile, spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { startSandbox } from 'payments-subgraph-sandbox'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { SECRETS } from '../support/app-settings.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryFolder } from '../support/process.ts'

const ROOT = resolve(import.meta.dirname, '../..')
/** The last stage of the Dockerfile, with a line for each instruction. */
const stage = (
  readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
    .split(/^FROM /m)
    .at(-1) ?? ''
).replaceAll('\\\n', '')
const instruction = (name: string) => new RegExp(`^ *${name} (.*)$`, 'm').exec(stage)?.[1] ?? ''
const commandOf = (text: string) => JSON.parse(text.slice(text.indexOf('['))) as [string, ...string[]]
const command = commandOf(instruction('CMD'))
const healthCheck = commandOf(instruction('HEALTHCHECK'))
/** Somebody who owns nothing: only root can become another user, and elsewhere the files belong to who runs the tests. */
const user: SpawnOptions = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** A folder with the files of the image, and no others. Only `data` can be written. */
let folder = ''
beforeAll(() => {
  folder = temporaryFolder(afterAll)
  chmodSync(folder, 0o755)
  for (const [, sources = '', target = ''] of stage.matchAll(/^COPY --from=build (.+) (\S+)$/gm))
    for (const source of sources.split(' ')) {
      const name = target.endsWith('/') ? join(target, basename(source)) : target
      cpSync(join(ROOT, source.replace(/^\/app\//, '')), join(folder, name), { recursive: true })
    }
  mkdirSync(join(folder, 'data'))
  if (user.uid !== undefined) chownSync(join(folder, 'data'), user.uid, user.uid)
})

const run = ([program, ...args]: readonly [string, ...string[]], env: Readonly<Record<string, string>> = {}) => {
  expect(program).toBe('node')
  return promisify(execFile)(process.execPath, args, { ...user, cwd: folder, env })
}

describe('the image', () => {
  it('runs without further files, as a user who can change none of them, and reports its health', async () => {
    const sandbox = await startSandbox()
    onTestFinished(() => sandbox.close())
    const port = String(await freePort())
    const env = {
      ...(Object.fromEntries(
        instruction('ENV')
          .split(' ')
          .map((pair) => pair.split('=')),
      ) as Record<string, string>),
      PORT: port,
      ADMIN_PORT: 'off',
      SHUTDOWN_DELAY_MS: '0',
      DATABASE_URL: 'file:data/payments.db',
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      UPSTREAM_ENVIRONMENT: 'sandbox',
      UPSTREAM_URL: sandbox.url,
      UPSTREAM_SITES: JSON.stringify(sandbox.sites),
      WEBHOOK_SECRETS: SECRETS.webhook,
      SIGNING_KEYS: SECRETS.signing,
      JWT_SECRETS: SECRETS.jwt,
      JWT_ISSUER: 'any',
      JWT_AUDIENCE: 'any',
      ROUTER_SECRETS: 'none',
    }
    await expect(run(healthCheck, env)).rejects.toMatchObject({ code: 1 })
    const [, ...args] = command
    const child = spawn(process.execPath, args, { ...user, cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
    const ended = once(child, 'close')
    const isHealthy = async () => {
      const check = () =>
        run(healthCheck, env).then(
          () => true,
          () => false,
        )
      await expect.poll(check, { timeout: 60_000 }).toBe(true)
    }
    await Promise.race([isHealthy(), ended.then(() => Promise.reject(new Error(output)))])
    const token = await run(['node', 'dist/cli.js', 'token', 'payments:read'], env)
    const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token.stdout.trim()}` },
      body: JSON.stringify({ query: '{ payments(first: 1) { nodes { id } } }' }),
    })
    expect(await response.json()).toEqual({ data: { payments: { nodes: [] } } })
    expect((await fetch(`http://127.0.0.1:${port}/console`)).status).toBe(200)
    child.kill(instruction('STOPSIGNAL') as NodeJS.Signals)
    expect(await ended).toEqual([0, null])
  }, 120_000)

  it('compiles modules in advance that it has', async () => {
    const [, code = ''] = /--eval +"([^"]*)"/.exec(stage) ?? []
    expect(code).toContain('/app/dist/program/')
    await run(['node', '--input-type=module', '--eval', code.replaceAll('/app/', `${folder}/`)])
  })

  it('is not run by root', () => {
    expect(instruction('USER')).toBe('node')
  })
})
