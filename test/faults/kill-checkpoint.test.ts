import { describe, expect, it } from 'vitest'
import { names, sendWebhooks } from './kill-senders.ts'
import { judge, lost } from './kill-verdict.ts'
import { startApp } from './killable-app.ts'
import { lacks } from './means.ts'
import { createPowerDisk } from './power-disk.ts'
import { rounds } from './rounds.ts'

const ROUNDS = rounds({ few: 2, many: 30 })

describe.skipIf(lacks('gcc'))('kill -9 in a checkpoint', () => {
  it(
    'loses nothing that was answered with 200, neither at once nor with the power',
    async () => {
      const disk = createPowerDisk()
      const acknowledged = new Set<string>()
      for (let round = 0; round < ROUNDS; round += 1) {
        const app = await startApp({ path: disk.path, env: disk.env })
        disk.killInCheckpoint()
        const answers = await sendWebhooks({ url: app.url, senders: 16, next: names(`round-${round}`) })
        expect((await app.exited).signal).toBe('SIGKILL')
        for (const id of answers.acknowledged) acknowledged.add(id)
        for (const path of [disk.path, disk.shadowPath]) {
          const verdict = judge(path)
          expect(verdict.faults).toEqual([])
          expect(lost(acknowledged, verdict)).toEqual([])
        }
      }
      disk.remove()
    },
    ROUNDS * 30_000,
  )
})
