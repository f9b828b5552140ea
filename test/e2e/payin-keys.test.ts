import type { FaultAnswer } from 'payments-subgraph-sandbox'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newKey, payinInput } from '../support/inputs.ts'
import { asked, made, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND, readPayment } from '../support/payins.ts'
import { startUpstreamProxy } from '../support/upstream-proxy.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND })))
afterEach(() => network.sandbox.control.clearFaults())
afterAll(() => network.close())

const create = (over: Record<string, unknown> = {}, on = network) => mutate(on, 'createPayin', payinInput(over))
const creations = (on = network) => asked(on, 'POST', '/v2/payins')

describe('the key of a payin', () => {
  it.each<[FaultAnswer, string, string]>([
    [
      { status: 422, body: { errors: { amount: 'is odd' } } },
      'PaymentsUpstreamRejectedError',
      'PaymentsUpstreamRejectedError',
    ],
    [
      { status: 401, body: { errors: { code: 'REQUIRE_LOGIN' } } },
      'PaymentsCredentialsRejectedError',
      'CreatePayinSuccess',
    ],
    [{ status: 429 }, 'PaymentsUpstreamUnavailableError', 'CreatePayinSuccess'],
    [{ status: 503 }, 'PaymentsOutcomeUnknownError', 'PaymentsOutcomeUnknownError'],
    ['reset', 'PaymentsOutcomeUnknownError', 'PaymentsOutcomeUnknownError'],
  ])('that met %j gives %s, then %s', async (answer, first, second) => {
    const input = payinInput()
    const before = creations()
    network.sandbox.control.addFault({ method: 'POST', path: '/v2/payins', answer })
    expect(await create(input)).toMatchObject({ __typename: first })
    expect(await create(input)).toMatchObject({ __typename: second })
    expect(creations() - before).toBe(second === 'CreatePayinSuccess' ? 2 : 1)
  })

  it('whose answer was lost finds the payment that its webhook told of', async () => {
    const input = payinInput()
    const before = creations()
    network.sandbox.control.addFault({ method: 'POST', path: '/v2/payins', answer: 'drop-after' })
    expect(await create(input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    await network.sandbox.settle()
    const orphan = network.sandbox.control.state().payins.at(-1)
    const found = await create(input)
    expect(found).toMatchObject({ replayed: true, payment: { id: orphan?.uuid, status: 'PENDING' } })
    expect(creations() - before).toBe(1)
    expect(await mutate(network, 'simulatePayin', { paymentId: orphan?.uuid, outcome: 'COMPLETED' })).toMatchObject({
      __typename: 'SimulationAccepted',
    })
  })

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

  it('whose webhook comes before the answer makes one payment', async () => {
    const proxy = await startUpstreamProxy()
    const own = await startNetwork({ upstreamUrl: proxy.url, sandbox: BY_HAND })
    try {
      proxy.target = own.sandbox.origin
      const held = proxy.holdNextPost('/v2/payins')
      const reference = newKey()
      const creating = made(create({ reference }, own), 'payment')
      await held.answered
      await own.sandbox.settle()
      const [payin] = own.sandbox.control.state().payins
      expect(await readPayment(own, payin?.uuid ?? '')).toMatchObject({ status: 'PENDING' })
      held.release()
      expect(await creating).toMatchObject({ id: payin?.uuid, reference, status: 'PENDING' })
      const { data } = await own.ask(
        '{ payments { nodes { id reference } } paymentEvents { nodes { sequence kind } } }',
      )
      expect(data).toMatchObject({ payments: { nodes: [{ id: payin?.uuid, reference }] } })
      // The answer tells more than the webhook did.
      const details = { sequence: 2, kind: 'PAYMENT_DETAILS_CHANGED' }
      expect(data['paymentEvents']).toMatchObject({ nodes: [{ sequence: 1, kind: 'PAYMENT_STATUS_CHANGED' }, details] })
    } finally {
      await own.close()
      await proxy.close()
    }
  })
})
