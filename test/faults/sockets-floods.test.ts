import { readFileSync } from 'node:fs'
import { startSandbox, type Sandbox } from 'payments-subgraph-sandbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SECRETS } from '../support/network.ts'
import { settingsFor, startReady, temporaryFolder, type Child } from '../support/process.ts'
import { developerToken } from './process-client.ts'
import { rounds } from './rounds.ts'
import { attack, ATTACKS, startVictim, type Victim } from './sockets-flood.ts'

/** Number of concurrent attackers. */
const ATTACKERS = rounds({ few: 2, many: 20 })
const GROWTH_BYTES = 50 * 1024 * 1024

let sandbox: Sandbox
let app: Child & { readonly url: string }
let victim: Victim
let token: string
let largest = 0
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
  largest = memoryOf(app)
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
  await sandbox.close()
})

describe('one after another', () => {
  it.each(ATTACKS)('$name: cut, at no cost to others', async (given) => {
    const before = memoryOf(app)
    const watching = watchMemory(app)
    const attacked = await Promise.all(Array.from({ length: ATTACKERS }, () => attack(app.url, token, given)))
    const grown = Math.max(...watching.stop()) - Math.max(before, largest)
    for (const code of attacked) expect(given.codes).toContain(code)
    expect(grown).toBeLessThan(GROWTH_BYTES)
    await victim.nextAnswer()
    expect(app.child.exitCode).toBeNull()
  })
})

it('whoever goes on after the goodbye is not heard, and then disconnected', async () => {
  const pings = ATTACKS.filter(({ name }) => name === 'pings')
  for (const given of pings) await attack(app.url, token, given, 'ended')
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
