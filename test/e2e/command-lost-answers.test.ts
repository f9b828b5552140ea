import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS } from '../support/commands.ts'
import { asked, mutate, type Result } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'
import { V1_SITES } from '../support/payouts.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND, env: V1_SITES })))
afterEach(() => network.sandbox.control.clearFaults())
afterAll(() => network.close())

/** A link that the payments API made without an answer has no address that it lists, and a gateway payment has no read. */
const NOT_FOUND = new Set<string>(['createPaymentLink', 'createGatewayPayment'])

// As test/faults/command-kill.test.ts, where it is the process that is lost.
describe.each(COMMANDS)('$name, whose answer was lost,', ({ name, path, prepare }) => {
  // An update replaces every detail of a customer, so a second one changes nothing.
  const isRepeatable = name === 'updatePaymentCustomer'

  it.each([
    ['after it was done', 'drop-after', !NOT_FOUND.has(name)],
    ['before it arrived', 'reset', false],
  ] as const)('%s', async (_when, answer, isFound) => {
    const { input } = await prepare(network)
    await network.sandbox.settle()
    const before = asked(network, 'POST', path)
    network.sandbox.control.addFault({ method: 'POST', path, answer })
    const results: Result[] = []
    for (const _ of [1, 2, 3]) results.push(await mutate(network, name, input))
    const LOST = 'PaymentsOutcomeUnknownError'
    const repeated = isRepeatable ? [false, true] : Array(2).fill(isFound ? true : LOST)
    expect(results.map(({ __typename, replayed }) => replayed ?? __typename)).toEqual([LOST, ...repeated])
    expect(asked(network, 'POST', path) - before).toBe(isRepeatable ? 2 : 1)
  })
})
