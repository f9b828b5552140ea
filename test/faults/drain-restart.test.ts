import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { startReady, startChild, temporaryFolder, written } from '../support/process.ts'
import { halfSentWebhook } from './drain-peers.ts'

const WAITING = 'in use by a process that is ending: waiting for it'

/** Minimal settings: the built-in sandbox, two free ports, and generated keys in the folder. */
async function bareSettings(folder: string): Promise<Record<string, string>> {
  const [port, sandboxPort] = [await freePort(), await freePort()]
  return { PORT: String(port), SANDBOX_PORT: String(sandboxPort), DATABASE_URL: `file:${join(folder, 'payments.db')}` }
}

describe('a start while another process on the same database ends', () => {
  it('waits for the database and the ports, says so, and takes over', async () => {
    const folder = temporaryFolder()
    const env = await bareSettings(folder)
    const first = await startReady({ env, cwd: folder })
    // The first process waits for this webhook, so it cannot end before it is stopped.
    const webhook = await halfSentWebhook(first.url, randomUUID())
    first.child.kill('SIGINT')
    await written(first, '"msg":"draining"')
    // A stopped process keeps its locks and ports, however long the other one takes to start.
    first.child.kill('SIGSTOP')
    const app = startChild({ env, cwd: folder })
    await written(app, WAITING)
    first.child.kill('SIGCONT')
    webhook.finish()
    expect((await first.ended).code).toBe(0)
    await written(app, '"msg":"ready"')
  })
})

describe('Ctrl-C', () => {
  it('twice, later, cuts the drain short', async () => {
    const folder = temporaryFolder()
    const app = await startReady({ env: await bareSettings(folder), cwd: folder })
    await halfSentWebhook(app.url, randomUUID())
    // Presses of the first second count as one.
    const press = () => {
      app.child.kill('SIGINT')
      return app.child.exitCode
    }
    await expect.poll(press, { interval: 20 }).toBe(1)
    expect(readdirSync(folder)).toContain('payments.db.ending')
    // The remaining file does not delay a start.
    const next = await startReady({ env: await bareSettings(folder), cwd: folder })
    expect(next.output()).not.toContain(WAITING)
    expect(readdirSync(folder)).not.toContain('payments.db.ending')
  })
})
