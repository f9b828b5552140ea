import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts'
import { SECRETS } from '../support/network.ts'
import { settingsFor, startReady, temporaryFolder, type Child } from '../support/process.ts'
import { expectTook } from '../support/took.ts'
import { developerToken } from './process-client.ts'
import { rounds } from './rounds.ts'
import { attack, ATTACKS, startVictim, type Victim } from './sockets-flood.ts'

/** Number of concurrent attackers. */
const ATTACKERS = rounds({ few: 2, many: 20 })
const CUT_MS = 5_000
const GROWTH_BYTES = 50 * 1024 * 1024
/** Milliseconds that an answer may take on a machine with other work, however fast it was before. */
const SLACK_MS = 250
const CALM_ANSWERS = 50
const ANSWERS = 10

let sandbox: Sandbox
let app: Child & { readonly url: string }
let victim: Victim
let token: string
let largest = 0
let usual = 0
const ends: (() => unknown)[] = []

beforeAll(async () => {
  sandbox = await startSandbox({ webhookSecret: SECRETS.webhook })
  const onEnd = (end: () => unknown) => void ends.push(end)
  app = await startReady({ env: settingsFor(sandbox, temporaryFolder(onEnd)) }, onEnd)
  token = await developerToken()
  // A warm-up: one-time costs, above all compilation, are not measured.
  await Promise.all(ATTACKS.map((each) => attack(app.url, token, each)))
  victim = await startVictim(app.url, token)
  ends.push(() => victim.leave())
  usual = percentile(await victim.times(CALM_ANSWERS), 0.99)
  largest = memoryOf(app)
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
  await sandbox.close()
})

describe('one after another', () => {
  it.each(ATTACKS)('$name: cut in time, at no cost to others', async (given) => {
    const before = memoryOf(app)
    await victim.times(0)
    const watching = watchMemory(app)
    const attacked = await Promise.all(Array.from({ length: ATTACKERS }, () => attack(app.url, token, given)))
    const grown = Math.max(...watching.stop()) - Math.max(before, largest)
    for (const { code, lasted } of attacked) {
      expect(given.codes).toContain(code)
      expect(lasted).toBeLessThan(CUT_MS)
    }
    expect(grown).toBeLessThan(GROWTH_BYTES)
    expectTook(percentile(await victim.times(ANSWERS), 0.99), Math.max(2 * usual, SLACK_MS))
    expect(app.child.exitCode).toBeNull()
  })
})

function percentile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

it('whoever goes on after the goodbye is not heard, and then disconnected', async () => {
  const pings = ATTACKS.filter(({ name }) => name === 'pings')
  for (const given of pings) expect((await attack(app.url, token, given, 'ended')).lasted).toBeLessThan(CUT_MS)
  expect(pings).toHaveLength(1)
})

/** Returns the resident memory of a process in bytes (proc(5), VmRSS). */
function memoryOf({ child }: Child): number {
  const [, kilobytes = 'NaN'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

function watchMemory(child: Child): { stop(): number[] } {
  const seen = [memoryOf(child)]
  const looking = setInterval(() => seen.push(memoryOf(child)), 100)
  return {
    stop() {
      clearInterval(looking)
      return [...seen, memoryOf(child)]
    },
  }
}
