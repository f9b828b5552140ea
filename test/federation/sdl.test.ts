import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { composers, customers, orders, payments, subgraph } from './composers.ts'
import { coordinatesOf, scopedFields, tagsOf } from './schema-parts.ts'

const ROUTER_SECRET = 'secret-of-the-router-1'

describe('npm run sdl', () => {
  let network: Network
  beforeAll(async () => void (network = await startNetwork({ env: { ROUTER_SECRETS: ROUTER_SECRET } })))
  afterAll(() => network.close())

  const { stdout, status } = spawnSync('npm', ['run', '--silent', 'sdl'], {
    cwd: join(import.meta.dirname, '../..'),
    encoding: 'utf8',
  })

  it('prints what a router is given', async () => {
    const headers = { 'x-router-secret': ROUTER_SECRET }
    const { data } = await network.ask('{ _service { sdl } }', {}, { headers })
    expect(status).toBe(0)
    expect({ _service: { sdl: stdout.trimEnd() } }).toEqual(data)
  })

  it('keeps the link, the tags and the scopes of the contract', () => {
    const printed = parse(stdout)
    expect(stdout).toMatch(/^extend schema @link\(url: "https:\/\/specs\.apollo\.dev\/federation\/v2\.9"/)
    expect(tagsOf(printed)).toEqual(tagsOf(payments.typeDefs))
    expect(scopedFields(printed).sort()).toEqual(scopedFields(payments.typeDefs).sort())
  })

  it.each(composers)('composes without scopes to the same schema of clients: $name', ({ compose }) => {
    const { stdout: unscoped } = spawnSync('npm', ['run', '--silent', 'sdl', '--', '--without-scopes'], {
      cwd: join(import.meta.dirname, '../..'),
      encoding: 'utf8',
    })
    expect(scopedFields(parse(stdout)).length).toBeGreaterThan(0)
    expect(scopedFields(parse(unscoped))).toEqual([])
    expect(unscoped).not.toContain('requiresScopes')
    const [whole, plain] = [stdout, unscoped].map((text) => compose([subgraph('payments', text), orders, customers]))
    expect(plain?.errors).toEqual([])
    expect(plain?.schema && coordinatesOf(plain.schema)).toEqual(whole?.schema && coordinatesOf(whole.schema))
  })

  it.each(composers)('composes as the contract does: $name', ({ compose }) => {
    const { errors, hints } = compose([subgraph('payments', stdout), orders, customers])
    expect(errors).toEqual([])
    expect(hints).toEqual([])
  })
})
