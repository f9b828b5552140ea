import { describe, expect, it } from 'vitest'
import { sqliteFile } from '../store/contract/sqlite-fixture.ts'
import { names, sendWebhooks } from './kill-senders.ts'
import { judge, lost } from './kill-verdict.ts'
import { spawnApp, startApp } from './killable-app.ts'

// promise(kept): A second process on the same SQLite file is refused, and the first continues.
describe('a second process on the same file', () => {
  it('ends at once with a clear error, and the first goes on unharmed', async () => {
    const { path, remove } = await sqliteFile()
    const first = await startApp({ path })
    const sending = sendWebhooks({ url: first.url, senders: 4, next: names('meanwhile', 300) })
    const second = spawnApp({ path })
    expect(await second.ready).toBeNull()
    expect(await second.exited).toEqual({ code: 1, signal: null })
    expect(second.output()).toContain(
      'Could not start: The database that DATABASE_URL names is in use: one process at a time may open it.',
    )
    const { acknowledged } = await sending
    expect(acknowledged.size).toBe(300)

    await first.kill()
    const verdict = judge(path)
    expect(verdict.faults).toEqual([])
    expect(lost(acknowledged, verdict)).toEqual([])
    await remove()
  })
})
