import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openSqliteStore } from '../../../src/store/sqlite.ts'
import { sqliteFile } from '../../contract/store/sqlite-fixture.ts'

const RECEIVER = fileURLToPath(new URL('./receive-forever.ts', import.meta.url))

/** Runs a receiver, kills it once it has acknowledged so many, and gives everything that it acknowledged. */
async function receiveAndKill(path: string, run: string, count: number): Promise<string[]> {
  const child = spawn(process.execPath, [RECEIVER, path, run], { stdio: ['ignore', 'pipe', 'inherit'] })
  const acknowledged: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line)
    if (acknowledged.length === count) child.kill('SIGKILL')
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  expect(child.signalCode).toBe('SIGKILL')
  return acknowledged
}

describe('a process that is killed while it receives', () => {
  it('loses nothing that it has acknowledged', async () => {
    const { path, remove } = await sqliteFile()
    const acknowledged: string[] = []
    for (const [run, count] of [37, 211, 160].entries()) {
      acknowledged.push(...(await receiveAndKill(path, `run${run}`, count)))
      const store = await openSqliteStore({ path })
      const stored = await store.payments.byIds(acknowledged)
      expect(new Set(stored.map(({ id }) => id))).toEqual(new Set(acknowledged))
      await store.close()
    }
    const database = new DatabaseSync(path)
    expect(database.prepare('PRAGMA integrity_check').get()).toMatchObject({ integrity_check: 'ok' })
    expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([])
    database.close()
    await remove()
  }, 20_000)
})
