import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthority } from '../e2e/upstream/certificate.ts'
import { freePort } from '../support/free-port.ts'
import { canMakeRedis, createRedisServer, type RedisServer } from '../support/redis-server.ts'

const CHILD = fileURLToPath(new URL('redis-child.ts', import.meta.url))

describe.skipIf(!canMakeRedis())('a Redis server with a certificate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'payments-redis-tls-'))
  const fileOf = (name: string) => join(folder, name)
  let server: RedisServer
  let port: number

  beforeAll(async () => {
    const authority = createAuthority()
    const { key, cert } = authority.issue('127.0.0.1', new Date(Date.now() + 3_600_000))
    for (const [name, text] of Object.entries({ key, cert, authority: authority.cert }))
      writeFileSync(fileOf(name), text)
    port = await freePort()
    const files = ['--tls-cert-file', fileOf('cert'), '--tls-key-file', fileOf('key')]
    const clients = ['--tls-ca-cert-file', fileOf('authority'), '--tls-auth-clients', 'no']
    server = await createRedisServer(['--tls-port', `${port}`, ...files, ...clients])
  })
  afterAll(async () => {
    await server?.remove()
    rmSync(folder, { recursive: true })
  })

  const ask = (env: Readonly<Record<string, string>>) =>
    execFileSync(process.execPath, [CHILD, `${port}`], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

  it('is used when its authority is trusted', () => {
    expect(ask({ NODE_EXTRA_CA_CERTS: fileOf('authority') })).toBe('PONG')
  })

  it.each<Record<string, string>>([{}, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }])('is not used otherwise: %j', (env) => {
    expect(ask(env)).toBe('failed')
  })
})
