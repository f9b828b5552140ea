import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openSqliteStore } from '../../support/store.ts'
import { newSeed, randomFrom } from '../random.ts'
import { rounds } from '../rounds.ts'
import { tell } from '../tell.ts'
import { simulate } from './simulate.ts'

const PAYMENTS = rounds({ few: 40, many: 20_000 })
/** A file system in memory, if there is one: decisions are tested here, not the disk. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

// promise(facts): Of thousands of payments whose webhooks are late, repeated or lost, none is wrong after the
// next comparison.
it.each([
  ['1 % of the attempts and answers are lost', { lost: 0.01 }],
  ['10 % are lost', { lost: 0.1 }],
  ['10 % are lost, and equal refunds have equal bodies', { lost: 0.1, equalBodies: true }],
  ['each payment changes while nobody is here', { lost: 0.01, outage: true }],
])(
  'nothing is wrong after the next comparison although %s',
  async (name, losses) => {
    const folder = mkdtempSync(join(FOLDER, 'payments-ordering-'))
    const store = await openSqliteStore({ path: join(folder, 'payments.db') })
    onTestFinished(async () => {
      await store.close()
      rmSync(folder, { recursive: true })
    })
    const seed = newSeed()
    const figures = await simulate(store, { payments: PAYMENTS, ...losses }, randomFrom(seed))
    tell(`${name} | ${PAYMENTS} payments, seed ${seed} | ${figures.readsPerPayment.toFixed(1)} reads per payment`)
    expect(figures).toMatchObject({ statusWrong: 0, refundedWrong: 0 })
    expect(figures.readsPerPayment).toBeLessThan(10)
  },
  rounds({ few: 120_000, many: 30 * 60_000 }),
)
