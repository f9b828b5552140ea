import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startNetwork } from '../support/network.ts'
import { createLink, LINK_UPDATES } from '../support/operations.ts'
import type { Item } from '../support/stream.ts'
import { EVENT_STREAM } from '../support/streams.ts'
import { names, sendWebhooks } from './kill-senders.ts'
import { judge } from './kill-verdict.ts'
import { startApp } from './killable-app.ts'

/** Matches the event, or a snapshot after it. */
const showsReceived = (item: Item): boolean => item.payment?.status === 'RECEIVED'

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

// promise(kept): A backup under load is a prefix of the log; after a restore, cursors of the other log are refused.
describe('a backup', () => {
  let folder: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'payments-backup-'))
  })

  afterEach(() => rmSync(folder, { recursive: true }))

  async function backUp(...paths: readonly string[]): Promise<{ code: number; said: string }> {
    const child = spawn(process.execPath, [CLI, 'backup', ...paths], { stdio: ['ignore', 'pipe', 'pipe'] })
    const [[code], ...said] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)])
    return { code: Number(code), said: said.join('') }
  }

  it('taken while webhooks come in holds a beginning of the log, and nobody is refused meanwhile', async () => {
    const path = join(folder, 'payments.db')
    const app = await startApp({ path })
    await sendWebhooks({ url: app.url, senders: 8, next: names('before', 100) })
    let isTaking = true
    const next = names('during')
    const sending = sendWebhooks({ url: app.url, senders: 4, next: () => (isTaking ? next() : null) })
    const copies = [1, 2].map((number) => join(folder, `backup-${number}.db`))
    for (const copy of copies) expect(await backUp(path, copy)).toMatchObject({ code: 0 })
    isTaking = false
    const { acknowledged, refused } = await sending
    expect([...refused]).toEqual([])
    await app.kill()

    const whole = judge(path)
    expect(whole.head).toBe(100 + acknowledged.size)
    const heads = copies.map((copy) => {
      const { faults, head, subjects } = judge(copy)
      expect(faults).toEqual([])
      expect(subjects).toEqual(whole.subjects.slice(0, head))
      expect(statSync(copy).mode & 0o777).toBe(0o600)
      return head
    })
    expect(heads[0]).toBeGreaterThanOrEqual(100)
    expect(heads[1]).toBeGreaterThan(heads[0] ?? 0)
  })

  it('that is restored ends the streams of the other log, and what it has missed is read back', async () => {
    const network = await startNetwork()
    const path = join(network.folder, 'payments.db')
    const link = await createLink(network)
    await network.sandbox.control.setStatus(link.id, 'pending')
    const copy = join(folder, 'backup.db')
    expect(await backUp(path, copy)).toMatchObject({ code: 0 })
    await network.sandbox.control.setStatus(link.id, 'received')
    const before = await network.follow(LINK_UPDATES, { id: link.id })
    const [received] = (await before.until(showsReceived)).slice(-1)
    await before.end()

    await network.restart(() => {
      for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
      copyFileSync(copy, path)
    })
    const stale = await network.follow(EVENT_STREAM, { after: received?.cursor })
    expect([(await stale.next())?.kind, await stale.next()]).toEqual(['RESYNC_REQUIRED', null])
    const after = await network.follow(LINK_UPDATES, { id: link.id })
    await after.until(showsReceived)
    await after.end()
    await network.close()
  })

  it('is refused where there is nothing to copy, where it would replace something, and of a damaged file', async () => {
    const damaged = join(folder, 'damaged.db')
    writeFileSync(damaged, 'This is no database. '.repeat(100))
    expect(await backUp(join(folder, 'nothing.db'), join(folder, 'copy.db'))).toMatchObject({ code: 1 })
    expect((await backUp(damaged, join(folder, 'copy.db'))).said).toBe('The backup failed (CORRUPT).\n')
    expect((await backUp(damaged, damaged)).said).toBe('There is a file already where the backup is to be.\n')
    expect((await backUp(damaged)).code).toBe(2)
    expect(existsSync(join(folder, 'copy.db'))).toBe(false)
    expect(readdirSync(folder)).toEqual(['damaged.db'])
  })
})
