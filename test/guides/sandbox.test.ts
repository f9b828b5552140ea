import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { MAGIC_FAILURES, MAGIC_3DS } from '../../packages/sandbox/src/payments/link.ts'
import { temporaryFolder } from '../support/process.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/sandbox.md'), 'utf8')
const run = promisify(execFile)

/** Creates a project with the page's example, which imports the package from this repository. */
function exampleProject(): string {
  const folder = temporaryFolder()
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? []
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'example.test.ts'), example)
  const config = {
    extends: join(root, 'tsconfig.json'),
    include: ['example.test.ts'],
    exclude: [],
    compilerOptions: { rewriteRelativeImportExtensions: false },
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

it('packages/sandbox/README.md has the example that is a test of the package', () => {
  const [readme, example] = ['README.md', 'test/example.test.ts'].map((path) =>
    readFileSync(join(root, 'packages/sandbox', path), 'utf8'),
  )
  expect(readme).toContain(example)
})

describe('docs/sandbox.md', () => {
  it('has an example whose types are right', async () => {
    const folder = exampleProject()
    await expect(run(join(root, 'node_modules/.bin/tsc'), ['-p', folder])).resolves.toMatchObject({ stdout: '' })
  })

  it('has an example that passes', async () => {
    const args = ['--conditions=payments-subgraph-source', '--test', 'example.test.ts']
    const { stdout } = await run(process.execPath, args, { cwd: exampleProject(), env: {} })
    expect(stdout).toMatch(/^. pass 1$/m)
  })

  it('lists every control endpoint, and no other', () => {
    const routes = readFileSync(join(root, 'packages/sandbox/src/server/control-routes.ts'), 'utf8')
    const registered = [...routes.matchAll(/server\.(get|post|delete)(?:<Id>)?\('(?:\/sandbox)?([^']+)'/g)].map(
      ([, method = '', path]) => `${method.toUpperCase()} /sandbox${path}`,
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
