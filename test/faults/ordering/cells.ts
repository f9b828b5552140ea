import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Store } from '../../../src/ledger/store.ts'
import { openSqliteStore } from '../../support/store.ts'
import { newSeed, randomFrom } from '../random.ts'
import { rounds } from '../rounds.ts'
import { tell } from '../tell.ts'
import { type Cell, type Figures, simulate } from './simulate.ts'

const PAYMENTS = rounds({ few: 40, many: 20_000 })
export const LIMIT_MS = rounds({ few: 120_000, many: 30 * 60_000 })
/** A file system in memory, if there is one: decisions are tested here, not the disk. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

type Losses = Pick<Cell, 'lost' | 'equalBodies' | 'outage'>

export const LOSSES: readonly (readonly [string, Losses])[] = [
  ['1 % of the attempts and answers are lost', { lost: 0.01 }],
  ['10 % are lost', { lost: 0.1 }],
  ['10 % are lost, and equal refunds have equal bodies', { lost: 0.1, equalBodies: true }],
  ['each payment changes while nobody is here', { lost: 0.01, outage: true }],
]

async function openStore(): Promise<Store> {
  const folder = mkdtempSync(join(FOLDER, 'payments-ordering-'))
  const store = await openSqliteStore({ path: join(folder, 'payments.db') })
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  return store
}

/** Simulates one cell with its own store. Prints its figures and its seed. */
export async function run(name: string, how: Losses & Pick<Cell, 'polls' | 'sweep'>): Promise<Figures> {
  const seed = newSeed()
  const figures = await simulate(await openStore(), { payments: PAYMENTS, ...how }, randomFrom(seed))
  const percent = (share: number) => `${Number((100 * share).toFixed(3))} %`
  tell(
    `${name} | ${PAYMENTS} payments, seed ${seed} | status wrong ${percent(figures.statusWrong)} | refunds wrong ${percent(figures.refundedWrong)} | ${figures.minutesWrong.toFixed(1)} minutes wrong and ${figures.readsPerPayment.toFixed(1)} reads per payment`,
  )
  return figures
}
