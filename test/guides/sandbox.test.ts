import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MAGIC_FAILURES, MAGIC_3DS } from '../../packages/sandbox/src/state/link.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/sandbox.md'), 'utf8')
it('packages/sandbox/README.md has the example that is a test of the package', () => {
  const [readme, example] = ['README.md', 'test/example.test.ts'].map((path) =>
    readFileSync(join(root, 'packages/sandbox', path), 'utf8'),
  )
  expect(readme).toContain(example)
})

describe('docs/sandbox.md', () => {
  it('lists every control endpoint, and no other', () => {
    const routes = readFileSync(join(root, 'packages/sandbox/src/server/control-routes.ts'), 'utf8')
    const registered = [...routes.matchAll(/routes\.(get|post|delete)\('([^']+)'/g)].map(
      ([, method = '', path]) => `${method.toUpperCase()} ${path}`,
    )
    const listed = [...page.matchAll(/`((?:GET|POST|DELETE) \/sandbox\/[\w/:]+)`/g)].map(([, endpoint]) => endpoint)
    const normal = (endpoint = '') => endpoint.replace(':uuid', ':id')
    // Those of links, payins and gateway payments are registered in a loop.
    const others = ['POST /sandbox/links/:id/status', 'POST /sandbox/links/:id/deliveries']
    const alike = new Set(['POST /sandbox/agreements/:id/deliveries', 'POST /sandbox/payouts/:id/deliveries'])
    expect([...new Set(listed.map(normal))].toSorted()).toEqual(
      [...registered.filter((endpoint) => !alike.has(endpoint)), ...others].toSorted(),
    )
  })

  it('tells the magic values as they are', () => {
    expect([MAGIC_FAILURES[0]?.amount, MAGIC_FAILURES.at(-1)?.amount]).toEqual(['666.01', '666.34'])
    for (const value of [MAGIC_3DS.amount, MAGIC_3DS.lastName, 'Reject Mandate', 'Keep Waiting', '777.01'])
      expect(page).toContain(value)
  })
})
