import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../src/ledger/store.ts'
import { delivery, report } from '../store/contract/builders.ts'
import { type Database, findPostgres } from '../support/postgres.ts'
import { openPostgresStore } from '../support/store.ts'

const server = await findPostgres()
const RECEIVER = fileURLToPath(new URL('../store/sqlite/receive-forever.ts', import.meta.url))

// promise(kept): A node that hangs or dies during a transaction does not block the others.
describe.skipIf(server === null)('a node that fails in the midst of its work', () => {
  let database: Database
  let store: Store

  beforeAll(async () => {
    if (server === null) return
    database = await server.createDatabase()
    store = await openPostgresStore({ url: database.url })
  })
  afterAll(async () => {
    await store?.close()
    await database?.drop()
  })

  /** Starts another process that receives webhooks continuously; `acknowledged` grows meanwhile. */
  async function startNode(run: string) {
    const node = spawn(process.execPath, [RECEIVER, database.url, run], { stdio: ['ignore', 'pipe', 'inherit'] })
    const acknowledged: string[] = []
    const lines = createInterface({ input: node.stdout })
    lines.on('line', (id) => acknowledged.push(id))
    while (acknowledged.length < 30) await once(lines, 'line')
    return { node, acknowledged }
  }

  async function kill(node: ChildProcess): Promise<void> {
    node.kill('SIGKILL')
    await once(node, 'close')
  }

  /** Stops a process at a moment when it has an open transaction. */
  async function stopWithin(node: ChildProcess): Promise<void> {
    for (;;) {
      node.kill('SIGSTOP')
      // Statements in progress on the server end meanwhile.
      await setTimeout(50)
      const idle = await database.run(`SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'idle in transaction'`)
      if (idle.length > 0) return
      node.kill('SIGCONT')
      await setTimeout(5)
    }
  }

  async function receiveAtLast(paymentId: string): Promise<string> {
    for (;;) {
      const answer = await store.inbox.receive(delivery(report('pending', { paymentId }))).catch(() => null)
      if (answer !== null) return answer.disposition
    }
  }

  it('keeps the others from writing for some seconds at most when it hangs', async () => {
    const { node } = await startNode('hung')
    await stopWithin(node)
    expect(await receiveAtLast('after-hanging')).toBe('APPLIED')
    await kill(node)
  })

  it('leaves all that it has acknowledged, and no lock, when it is killed', async () => {
    const { node, acknowledged } = await startNode('killed')
    await kill(node)
    expect(await receiveAtLast('after-killing')).toBe('APPLIED')
    const stored = await store.payments.byIds(acknowledged)
    expect(new Set(stored.map(({ id }) => id))).toEqual(new Set(acknowledged))
  })
})
