import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSqliteStore } from '../support/store.ts'
import { endOfLastCommit } from './disk-wal.ts'
import { names, sendWebhooks } from './kill-senders.ts'
import { judge } from './kill-verdict.ts'
import { spawnApp, startApp } from './killable-app.ts'
import { rounds } from './rounds.ts'
import { seeded } from './seed.ts'

const ROUNDS = rounds({ few: 40, many: 2_000 })

// promise(kept): A torn end of the write-ahead log costs nothing before the damage; a damaged database is refused at
// start.
describe('a damaged file', () => {
  let folder: string
  let left: string
  let wal: Buffer

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'payments-damage-'))
    left = join(folder, 'left.db')
    // The first run ends normally, and its data is in the database; the data of the second run is in the write-ahead log.
    for (const [run, signal] of [
      ['first', 'SIGTERM'],
      ['second', 'SIGKILL'],
    ] as const) {
      const app = await startApp({ path: left })
      await sendWebhooks({ url: app.url, senders: 4, next: names(run, 50) })
      await app.kill(signal)
    }
    wal = readFileSync(`${left}-wal`)
  })

  afterAll(() => rmSync(folder, { recursive: true }))

  /** Returns the path of a copy of the killed process's database, with another write-ahead log. */
  function copyWith(name: string, changed: Buffer): string {
    const path = join(folder, name)
    copyFileSync(left, path)
    writeFileSync(`${path}-wal`, changed)
    return path
  }

  it(
    `of the write-ahead log costs nothing that was committed before it, ${ROUNDS} times`,
    async () => {
      const random = seeded('damage of the write-ahead log')
      const heads = new Set<number>()
      expect(judge(left).head).toBe(100)
      for (let round = 0; round < ROUNDS; round += 1) {
        const offset = random.between(0, wal.length - 1)
        const damaged = Buffer.from(wal)
        damaged.writeUInt8(damaged.readUInt8(offset) ^ random.between(1, 255), offset)
        const path = copyWith('damaged.db', round % 2 === 0 ? damaged : wal.subarray(0, offset))

        const store = await openSqliteStore({ path })
        await store.close()
        const expected = judge(copyWith('expected.db', wal.subarray(0, endOfLastCommit(wal, offset))))
        expect(judge(path), `offset ${offset}`).toEqual(expected)
        expect(expected).toMatchObject({ faults: [] })
        expect(expected.head).toBeGreaterThanOrEqual(50)
        heads.add(expected.head)
      }
      // Some offsets must lie within the log; otherwise the test proves nothing.
      expect(heads.size).toBeGreaterThan(2)
    },
    rounds({ few: 60_000, many: 600_000 }),
  )

  it('of the database keeps the program from starting, and it says which setting to look at', async () => {
    const path = copyWith('header.db', Buffer.alloc(0))
    writeFileSync(path, readFileSync(path).fill(0xff, 0, 100))
    const app = spawnApp({ path })
    expect(await app.ready).toBeNull()
    expect(await app.exited).toEqual({ code: 1, signal: null })
    expect(app.output()).toContain('Could not start: The database that DATABASE_URL names cannot be used (CORRUPT).')
  })
})
