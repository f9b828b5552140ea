import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { addressOf, defaultAddress, deliver, deliveries, honestHeaders, paymentBody } from '../support/webhooks.ts'

/** Duration of the flood, its number of connections, and the bound for signed webhooks meanwhile. */
const FLOOD_MS = 20_000
const CONNECTIONS = 64
const P99_MS = 250

/** Webhooks rejected after their bodies were read, those rejected by their headers alone, and all others. */
type Counts = { readonly refused: number; readonly early: number; readonly other: number }

let network: Network
beforeAll(async () => void (network = await startNetwork({ env: { MAX_FAILED_AUTHENTICATIONS: '60' } })))
afterAll(() => network.close())

/** Starts a sender of forged webhooks in a process of its own, so that it runs independently of the app. */
async function startFlood(urls: readonly string[]): Promise<{ stop(): Promise<Counts> }> {
  const forged = { body: paymentBody(), headers: { ...honestHeaders(''), authorization: 'Bearer v1.00000000.AAAA' } }
  const flood: ChildProcess = fork(new URL('./flood.ts', import.meta.url), { serialization: 'advanced' })
  await once(flood, 'message')
  flood.send({ urls, connections: CONNECTIONS, ...forged })
  return {
    async stop() {
      flood.send('stop')
      const [counts] = (await once(flood, 'message')) as [Counts]
      await once(flood, 'exit')
      return counts
    },
  }
}

async function latencies(milliseconds: number, send: () => Promise<{ status: number }>): Promise<number[]> {
  const taken: number[] = []
  const end = performance.now() + milliseconds
  while (performance.now() < end) {
    const begun = performance.now()
    expect((await send()).status).toBe(200)
    taken.push(performance.now() - begun)
  }
  return taken.toSorted((a, b) => a - b)
}

it('signed webhooks are taken in time while forged ones pour in from one address', async () => {
  const link = await addressOf(network, await createLink(network))
  const kept = (await deliveries(network)).length
  const flood = await startFlood([link.url, defaultAddress(network)])
  let turn = 0
  const taken = await latencies(FLOOD_MS, () =>
    deliver(turn++ % 2 === 0 ? link : defaultAddress(network), paymentBody()),
  )
  const counts = await flood.stop()
  const p99 = taken[Math.ceil(taken.length * 0.99) - 1] ?? Number.NaN
  expect(kept).toBe(0)
  expect(counts.other).toBe(0)
  expect(counts.refused + counts.early).toBeGreaterThan(FLOOD_MS / 10)
  // At the one URL a forged webhook is rejected by its headers, and has to connect again each time; at the other by its body.
  expect(counts.early).toBeGreaterThan(FLOOD_MS / 100)
  expect(p99).toBeLessThan(P99_MS)
})
