import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { names, sendWebhooks } from './kill-senders.ts'
import { judge, lost } from './kill-verdict.ts'
import { type KillableApp, startApp } from './killable-app.ts'
import { lacks } from './means.ts'
import { createPowerDisk, type PowerDisk } from './power-disk.ts'
import { rounds } from './rounds.ts'

const WEBHOOKS = rounds({ few: 1_000, many: 5_000 })

// promise(kept): A webhook that was answered with 200 survives a power cut.
describe.skipIf(lacks('gcc'))('a power cut', () => {
  let disk: PowerDisk
  let app: (KillableApp & { readonly url: string }) | null = null

  beforeEach(() => {
    disk = createPowerDisk()
  })

  afterEach(async () => {
    await app?.kill()
    app = null
    disk.remove()
  })

  async function receive(senders: number, count: number) {
    app = await startApp({ path: disk.path, env: disk.env })
    const before = disk.syncs()
    const answers = await sendWebhooks({ url: app.url, senders, next: names(`with-${senders}`, count) })
    expect(answers.acknowledged.size).toBe(count)
    return { acknowledged: answers.acknowledged, syncs: disk.syncs() - before }
  }

  it(`takes nothing of ${WEBHOOKS} webhooks that were answered with 200`, async () => {
    const { acknowledged, syncs } = await receive(16, WEBHOOKS)
    await app?.kill()
    const verdict = judge(disk.shadowPath)
    expect(verdict.faults).toEqual([])
    expect(lost(acknowledged, verdict)).toEqual([])
    // Concurrent webhooks share a sync: at most sixteen per sync.
    expect(syncs).toBeGreaterThanOrEqual(WEBHOOKS / 16)
    expect(syncs).toBeLessThan(WEBHOOKS)
  })

  it('comes after a sync of its own for each webhook that is sent alone', async () => {
    const { syncs } = await receive(1, 50)
    expect(syncs).toBeGreaterThanOrEqual(50)
  })
})
