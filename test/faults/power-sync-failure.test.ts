import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { names, sendWebhooks } from './kill-senders.ts'
import { judge, lost } from './kill-verdict.ts'
import { type KillableApp, startApp } from './killable-app.ts'
import { lacks } from './means.ts'
import { createPowerDisk, type PowerDisk } from './power-disk.ts'

const EXIT_MS = 5_000

// promise(kept): A failed sync of a commit or checkpoint is answered with 503, ends the process, and loses nothing.
describe.skipIf(lacks('gcc'))('a sync that fails once', () => {
  let disk: PowerDisk
  let app: KillableApp & { readonly url: string }

  beforeEach(async () => {
    disk = createPowerDisk()
    app = await startApp({ path: disk.path, env: disk.env })
  })

  afterEach(async () => {
    await app.kill()
    disk.remove()
  })

  it('of a commit is answered with 503, ends the process, and loses nothing that was acknowledged', async () => {
    const before = await sendWebhooks({ url: app.url, senders: 4, next: names('before', 40) })
    disk.failNext('wal')
    const [failed] = await Promise.all([
      sendWebhooks({ url: app.url, senders: 1, next: names('failed', 1) }),
      endsSoon(),
    ])
    expect([...failed.refused.values()]).toEqual([503])
    expectKept(new Set([...before.acknowledged, ...failed.acknowledged]))

    // What the failed sync may not have written to the disk is written again before anything is appended.
    const checkpoints = disk.syncs('db')
    app = await startApp({ path: disk.path, env: disk.env })
    expect(disk.syncs('db')).toBeGreaterThan(checkpoints)
    const again = await sendWebhooks({ url: app.url, senders: 1, next: names('failed', 1) })
    expect(again.acknowledged.size).toBe(1)
  })

  it('of a checkpoint ends the process before what is on disk is written over', async () => {
    disk.failNext('db')
    // More than the size of the write-ahead log at which a checkpoint moves it into the database.
    const sending = sendWebhooks({ url: app.url, senders: 16, next: names('many', 2_000) })
    await endsSoon()
    const { acknowledged } = await sending
    expect(acknowledged.size).toBeGreaterThan(0)
    expectKept(acknowledged)
  })

  async function endsSoon(): Promise<void> {
    while (!(disk.hasFailed('wal') && disk.hasFailed('db'))) await delay(10)
    expect(await Promise.race([app.exited, delay(EXIT_MS)])).toEqual({ code: 1, signal: null })
    expect(app.output()).toContain('the store can no longer be written')
  }

  /** Checks what the disk contains, and what the operating system shows. */
  function expectKept(acknowledged: ReadonlySet<string>): void {
    for (const path of [disk.path, disk.shadowPath]) {
      const verdict = judge(path)
      expect(verdict.faults).toEqual([])
      expect(lost(acknowledged, verdict)).toEqual([])
    }
  }
})
