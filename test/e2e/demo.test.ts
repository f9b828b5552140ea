import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

it('shows a payment from its link to received', async () => {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--conditions=payments-subgraph-source', 'src/cli.ts', 'demo'],
    { cwd: ROOT },
  )
  expect(stderr).toBe('')
  expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^received +SUCCEEDED, paid 125\.50 AUD, link PAID/)
  expect(stdout.match(/^customer/gm)).toHaveLength(1)
})
