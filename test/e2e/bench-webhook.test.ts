import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createSqlite } from '../../bench/support/webhooks/databases.ts'
import { faultsOf } from '../../bench/support/webhooks/rounds.ts'

const SHORT = '--databases sqlite --seconds 0.2 --rounds 1 --payments 0 --program src/main.ts'.split(' ')

test(
  'the bench of webhooks checks what is stored, prints its figures and puts them into the page',
  { timeout: 60_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'payments-page-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const page = join(folder, 'performance.md')
    writeFileSync(page, 'before\n<!-- bench webhook -->\nold figures\n<!-- end of bench webhook -->\nafter\n')

    // It rejects when the bench does not end with 0.
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [
      'bench/main.ts',
      'webhook',
      ...SHORT,
      '--page',
      page,
    ])

    expect(stderr).toContain('checking what is stored')
    expect(stdout).toMatch(/All [\d,]+ webhooks were answered with 200/)
    expect(stdout).toMatch(/SQLite, webhooks\/s ÷ HMAC alone +\| \d+\.\d{3} +\| at least 0\.400 +\| (?:met|missed)/)
    expect(stdout).not.toContain('NaN')
    const written = readFileSync(page, 'utf8')
    expect(written).toBe(`before\n<!-- bench webhook -->\n\n${stdout.trim()}\n\n<!-- end of bench webhook -->\nafter\n`)
  },
)

test('the check finds webhooks that were refused, and what is not stored', async () => {
  const database = await createSqlite(10)
  onTestFinished(() => database.remove())
  const target = { name: 'A node', receiver: { urls: [], pids: [] }, database, stop: async () => {} }

  expect(await faultsOf({ target, sent: { payments: 0, webhooks: 0, refused: {} } })).toEqual([])
  expect(await faultsOf({ target, sent: { payments: 1, webhooks: 4, refused: { 503: 1 } } })).toEqual([
    'A node: 1 of 4 webhooks were answered with 503.',
    'A node: 0 deliveries are stored, and 4 were sent.',
    'A node: 0 events are stored, and 4 were sent.',
    'A node: 0 payments in the status received are stored, and 1 were sent.',
  ])
})
