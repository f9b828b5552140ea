import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTokenVerifier } from '../../../src/access/verify-token.ts'
import { loadDevelopmentKeys } from '../../../src/dev-keys.ts'
import { Secret } from '../../../src/keys/key-ring.ts'

const SCRIPT = join(import.meta.dirname, '../../../src/cli.ts')
const TEXT = 'client-secret-of-more-than-32-bytes'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'token-'))
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})

async function run(args: string[], env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=payments-subgraph-source', SCRIPT, 'token', ...args],
    { cwd: folder, env },
  )
  return stdout.trim()
}

const verify = (token: string, secret: string, issuer: string | null = null) =>
  createTokenVerifier({
    kind: 'secret',
    secrets: [new Secret(secret)],
    issuer,
    audience: null,
    scopeClaims: null,
    scopePrefix: null,
  }).verify(token)

describe('payments-subgraph token', () => {
  it.each(['--help', '-h'])('tells with %s how it is used', async (option) => {
    expect(await run([option])).toMatch(/^Usage: payments-subgraph token .*\n[^]*payments:read/)
  })

  it('signs with JWT_SECRETS, for the issuer that is configured', async () => {
    const token = await run(['payments:read payments:write', 'me', '--ttl', '60'], {
      JWT_SECRETS: TEXT,
      JWT_ISSUER: 'dev',
    })
    const caller = await verify(token, TEXT, 'dev')
    expect(caller).toMatchObject({ subject: 'me', scopes: new Set(['payments:read', 'payments:write']) })
    expect(caller.expiresAt - Date.now()).toBeLessThanOrEqual(60_000)
  })

  it('signs with the development key where no secret is set', async () => {
    const token = await run(['payments:read'])
    const secret = loadDevelopmentKeys(join(folder, 'data'))('JWT_SECRETS')
    expect(await verify(token, secret)).toMatchObject({ subject: null })
  })

  it.each<[string, string[], Record<string, string>, RegExp]>([
    ['no scopes', [], {}, /missing required argument 'scopes'/],
    ['an unknown scope', ['payments:reed'], {}, /no scope "payments:reed"/],
    ['a wrong time to live', ['payments:read', '--ttl', '0'], {}, /--ttl/],
    [
      'a bad secret',
      ['payments:read'],
      { JWT_SECRETS: 'kanarie7' },
      /^JWT_SECRETS entry 1 must have at least 32 bytes$/m,
    ],
    ['an issuer elsewhere', ['payments:read'], { JWT_JWKS_URL: 'https://id.test/keys' }, /tokens come from its issuer/],
  ])('fails with %s and says so', async (_name, args, env, message) => {
    const failure: unknown = await run(args, env).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: expect.any(Number), stdout: '', stderr: expect.stringMatching(message) })
    expect(failure).toMatchObject({ stderr: expect.not.stringContaining('kanarie7') })
  })
})
