import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { startReady, startChild, temporaryFolder, written } from '../support/process.ts'
import { halfSentWebhook } from './drain-peers.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
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
  it('on npm start drains, although npm passes the signal on to a program that has got it already', async () => {
    const folder = temporaryFolder()
    const env = { ...process.env, NODE_ENV: 'test', ...(await bareSettings(folder)), LOG_LEVEL: 'info' }
    const child = spawn('npm', ['start'], { cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()))
    let text = ''
    const isReady = new Promise<void>((resolve, reject) => {
      const read = (part: string) => {
        text += part
        if (text.includes('"msg":"ready"')) resolve()
      }
      child.stdout.setEncoding('utf8').on('data', read)
      child.stderr.setEncoding('utf8').on('data', read)
      void ended.then(() => reject(new Error(`The process ended:\n${text}`)))
    })
    const pid = child.pid ?? 0
    let isOver = false
    void ended.then(() => (isOver = true))
    onTestFinished(() => void (isOver || process.kill(-pid, 'SIGKILL')))
    await isReady
    // A terminal sends it to all processes of the group.
    process.kill(-pid, 'SIGINT')
    await ended
    expect(text).toContain('"msg":"draining"')
    // A drain removes this file at its end: a process that is killed leaves it behind.
    expect(readdirSync(folder)).not.toContain('payments.db.ending')
  })

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

  it('twice in the same moment is one press', async () => {
    const folder = temporaryFolder()
    const app = await startReady({ env: await bareSettings(folder), cwd: folder })
    app.child.kill('SIGINT')
    await written(app, '"msg":"draining"')
    app.child.kill('SIGINT')
    expect(await app.ended).toMatchObject({ code: 0, signal: null })
  })
})
