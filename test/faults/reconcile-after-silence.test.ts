import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'
import { FULL, rounds } from './rounds.ts'
import { startVirtualNetwork } from './virtual-network.ts'

const MINUTE = 60_000
const SILENCE = 3 * 60 * MINUTE
const PAYMENTS = rounds({ few: 20, many: 1_000 })
/** In milliseconds. At two reads per second the reads take half of it, in a full run 500 of 600 seconds. */
const LIMIT = FULL ? 10 * MINUTE : PAYMENTS * 1_000

/** In real time: for a machine with other work. */
const TIMEOUT = FULL ? 30 * MINUTE : 5 * MINUTE

const ENDS = ['received', 'failed', 'authorised', 'expired'] as const

// promise(facts): After hours without a process, what changed meanwhile is right within minutes.
it(
  `after three hours of silence ${PAYMENTS} payments are right again within minutes, at two reads a second`,
  async () => {
    const { network, proxy, time } = await startVirtualNetwork(SILENCE)
    const ids: string[] = []
    for (let n = 0; n < PAYMENTS; n++) {
      const { id } = await createLink(network)
      await network.sandbox.control.setStatus(id, 'pending')
      ids.push(id)
    }
    await network.stop()
    for (const [index, id] of ids.entries())
      await network.sandbox.control.setStatus(id, ENDS[index % ENDS.length] ?? 'received', { silent: true })
    await time.skip(SILENCE)
    const before = proxy.calls.length

    await network.restart()
    const figure = async (line: RegExp) => line.test(await (await fetch(`${network.app.url}/metrics`)).text())
    while (!(await figure(/^payments_sweeps_total 1$/m))) await setImmediate()
    const begun = time.elapsed()
    const readSince = () => proxy.calls.slice(before).filter((call) => call.startsWith('GET'))
    await time.passUntil(() => readSince().length >= PAYMENTS, LIMIT)
    await time.passUntil(() => figure(/^payments_reads_waiting 0$/m), LIMIT)
    expect(time.elapsed() - begun).toBeLessThanOrEqual(LIMIT)

    const statuses: unknown[] = []
    // One by one: that many concurrent queries would be rejected.
    for (const id of ids) statuses.push((await historyOf(network, id)).payment?.status)
    expect(statuses).toEqual(ids.map((_, index) => (ENDS[index % ENDS.length] ?? '').toUpperCase()))
    const reads = readSince()
    for (const id of ids) expect(reads.filter((call) => call.endsWith(id)).length).toBeLessThanOrEqual(10)
    const seconds = (time.elapsed() - begun) / 1_000
    expect(reads.length).toBeLessThanOrEqual(2 * seconds + 2)
    expect(await figure(new RegExp(String.raw`^payments_reads_total\{outcome="changed"\} ${PAYMENTS}$`, 'm'))).toBe(
      true,
    )
  },
  TIMEOUT,
)
