import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../src/cli/command-line.ts'
import { setGatewayStatus } from '../support/gateway-payments.ts'
import { mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'
import { settleCreation, unansweredCreation } from '../support/unanswered.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND })))
afterAll(() => network.close())

const LIST = `{ unansweredGatewayPayments(first: 100) { operationId reference site description amount { value currency } } }`

const waiting = async () =>
  (await network.ask<{ unansweredGatewayPayments: { operationId: string }[] }>(LIST, {})).data.unansweredGatewayPayments

const waits = async (id: string) => (await waiting()).find(({ operationId }) => operationId === id)

const read = async (id: string | null) => {
  const query = 'query G($id: ID!) { gatewayPayment(id: $id) { reference status overrulesOperator } }'
  return (await network.ask(query, { id })).data['gatewayPayment']
}

describe('a gateway payment whose creation got no answer', () => {
  it('is recorded with its id, and moved by its callbacks from then on', async () => {
    const { operationId, reference, paymentId, input } = await unansweredCreation(network, { arrives: true })
    expect(await waits(operationId)).toMatchObject({
      reference,
      site: 'aud',
      amount: { value: '99.95', currency: 'AUD' },
    })
    const found = { operationId, outcome: 'CREATED', paymentId }
    const settled = { __typename: 'SettleGatewayPaymentCreationSuccess', ...found }
    expect(await settleCreation(network, found)).toEqual(settled)
    expect(await settleCreation(network, found)).toEqual(settled)
    expect(await settleCreation(network, { operationId, outcome: 'NOT_CREATED' })).toEqual({
      __typename: 'PaymentsStateConflictError',
      statusRaw: 'settled',
    })
    expect(await waits(operationId)).toBeUndefined()
    await setGatewayStatus(network, String(paymentId), 'received')
    expect(await read(paymentId)).toEqual({ reference, status: 'RECEIVED', overrulesOperator: false })
    // The page for the payer is not known: the key keeps its answer, and sends nothing again.
    const posts = network.sandbox.control.state().gatewayPayments.length
    expect(await mutate(network, 'createGatewayPayment', input)).toMatchObject({
      __typename: 'PaymentsOutcomeUnknownError',
    })
    expect(network.sandbox.control.state().gatewayPayments).toHaveLength(posts)
  })

  it('was not carried out: its key sends it again', async () => {
    const { operationId, input, paymentId } = await unansweredCreation(network, { arrives: false })
    expect(paymentId).toBeNull()
    const settled = { __typename: 'SettleGatewayPaymentCreationSuccess', operationId, paymentId: null }
    expect(await settleCreation(network, { operationId, outcome: 'NOT_CREATED' })).toMatchObject(settled)
    expect(await mutate(network, 'createGatewayPayment', input)).toMatchObject({
      __typename: 'CreateGatewayPaymentSuccess',
      replayed: false,
    })
    expect(await settleCreation(network, { operationId, outcome: 'NOT_CREATED' })).toMatchObject({
      __typename: 'PaymentsStateConflictError',
    })
  })

  it.each([
    [{ outcome: 'CREATED' }],
    [{ outcome: 'CREATED', paymentId: '007' }],
    [{ outcome: 'NOT_CREATED', paymentId: '1' }],
  ])('is not settled by %j', async (found) => {
    expect(await settleCreation(network, { operationId: 'nobody', ...found })).toEqual({
      __typename: 'PaymentsInvalidInputError',
      problems: [{ path: ['paymentId'] }],
    })
    expect(await settleCreation(network, { operationId: 'nobody', outcome: 'NOT_CREATED' })).toMatchObject({
      __typename: 'PaymentsNotFoundError',
    })
  })
})

describe('the command line', () => {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const operator = async (...args: string[]) => {
    const token = await network.token({ scopes: ['payments:read', 'payments:reconcile'] })
    const env = { SUBGRAPH_URL: `${network.app.url}/graphql`, SUBGRAPH_TOKEN: token }
    return run(args, env, { output, terminal: Object.assign(output, { isTTY: false }) })
  }

  it('lists what waits, and settles it', async () => {
    const made = await unansweredCreation(network, { arrives: true })
    const lost = await unansweredCreation(network, { arrives: false })
    const { out } = await operator('unanswered')
    expect(out).toContain(made.reference)
    expect(out).toMatch(new RegExp(`${lost.operationId} +${lost.reference} +99\\.95 AUD +aud `))
    expect(JSON.parse((await operator('unanswered', '--json', '--limit', '1')).out)).toHaveLength(1)
    expect(await operator('settle', lost.operationId, '--not-created')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Recorded: it was not created/) as string,
    })
    expect(await operator('settle', made.operationId, '--created', String(made.paymentId))).toMatchObject({
      code: 0,
      out: `Recorded: it was created as ${made.paymentId}.\n`,
    })
    expect(await operator('settle', made.operationId, '--not-created')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^STATE_CONFLICT: .* It is settled\.\n$/) as string,
    })
    const again = await operator('settle', made.operationId, '--created', String(made.paymentId), '--json')
    expect(JSON.parse(again.out)).toMatchObject({ outcome: 'CREATED' })
    expect((await operator('settle', 'x', '--created', 'y')).err).toMatch(/^INVALID_INPUT: .* paymentId must be/)
  })

  it.each([[['settle']], [['settle', 'x', '--created', '1', '--not-created']], [['unanswered', 'x']]])(
    'ends with 2 for %j',
    async (args) => {
      expect(await operator(...args)).toMatchObject({ code: 2, out: '' })
    },
  )
})
