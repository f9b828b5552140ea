import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { payinInput } from '../support/inputs.ts'
import { asked, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND })))
afterEach(() => network.sandbox.control.clearFaults())
afterAll(() => network.close())

const create = (over: Record<string, unknown> = {}, on = network) => mutate(on, 'createPayin', payinInput(over))
const creations = (on = network) => asked(on, 'POST', '/v2/payins')

describe('the key of a payin', () => {
  it('whose answer was lost, and whose webhooks too, is found by its address in the list of the payments API', async () => {
    const own = await startNetwork({ sandbox: BY_HAND, env: { WEBHOOK_SECRETS: 'not-the-one-of-the-service' } })
    try {
      const input = payinInput()
      await create({}, own)
      own.sandbox.control.addFault({ method: 'POST', path: '/v2/payins', answer: 'drop-after' })
      expect(await create(input, own)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
      const orphan = own.sandbox.control.state().payins.at(-1)
      await Promise.all(Array.from({ length: 20 }, () => create({}, own)))
      own.sandbox.control.addFault({ method: 'GET', path: '/v2/payins/all', answer: { status: 400 } })
      expect(await create(input, own)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
      expect(await create(input, own)).toMatchObject({ replayed: true, payment: { id: orphan?.uuid } })
      expect(creations(own)).toBe(22)
    } finally {
      await own.close()
    }
  })
})
