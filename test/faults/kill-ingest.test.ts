import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { sqliteFile } from '../store/contract/sqlite-fixture.ts'
import { names, sendWebhooks } from './kill-senders.ts'
import { judge, lost } from './kill-verdict.ts'
import { compile, startApp } from './killable-app.ts'
import { rounds } from './rounds.ts'
import { seeded } from './seed.ts'

const ROUNDS = rounds({ few: 6, many: 100 })
const SENDERS = 16

// promise(kept): A webhook that was answered with 200 survives `kill -9` at any moment.
describe('kill -9 while webhooks come in', () => {
  it(
    `loses nothing that was answered with 200, ${ROUNDS} times in a row on the same file`,
    async () => {
      const random = seeded('kill -9 in ingest')
      const { path, remove } = await sqliteFile()
      await compile(path)
      const acknowledged = new Set<string>()
      const unanswered: string[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        const app = await startApp({ path })
        // Unanswered webhooks are sent again, as the payments API does: each is stored once, whether or not the first attempt had been
        // stored.
        const fresh = names(`round-${round}`)
        const first = Promise.withResolvers<void>()
        const sending = sendWebhooks({
          url: app.url,
          senders: SENDERS,
          next: () => unanswered.pop() ?? fresh(),
          onAnswer: () => first.resolve(),
        })
        await first.promise
        await delay(random.between(100, 250))
        expect((await app.kill()).signal).toBe('SIGKILL')
        const answers = await sending
        // On a machine with other work, storing can take longer than an answer may: the payments API sends again what got 503.
        expect([...answers.refused.values()].filter((status) => status !== 503)).toEqual([])
        // Otherwise nothing was in flight when the process died.
        expect(answers.unanswered.size).toBeGreaterThan(0)
        for (const id of answers.acknowledged) acknowledged.add(id)
        unanswered.push(...answers.unanswered, ...answers.refused.keys())

        const verdict = judge(path)
        expect(verdict.faults).toEqual([])
        expect(lost(acknowledged, verdict)).toEqual([])
        expect(new Set(verdict.subjects).size).toBe(verdict.subjects.length)
      }
      await remove()
    },
    // Ends what hangs: a round is a second of work, on a machine that others use a minute.
    ROUNDS * 60_000,
  )
})
