import { afterAll, beforeAll, expect, it } from 'vitest'
import { gatewayInput } from '../support/inputs.ts'
import { mutate } from '../support/mutations.ts'
import { settleCreation, unansweredCreation } from '../support/unanswered.ts'
import { startKillStage, type KillStage } from './kill-stage.ts'

let stage: KillStage
beforeAll(async () => void (stage = await startKillStage()))
afterAll(() => stage.close())

// promise(commands): What an operator records of a gateway payment is recorded whole or not at all, and once.
it('what an operator found is recorded whole or not at all, and once however often it is repeated', async () => {
  const { operationId, paymentId, input } = await unansweredCreation(stage, { arrives: true })
  const found = { operationId, outcome: 'CREATED', paymentId }
  await stage.app.arm('outcome')
  expect(await settleCreation(stage, found).catch(() => 'died')).toBe('died')
  await stage.restart()
  const done = { __typename: 'SettleGatewayPaymentCreationSuccess', paymentId }
  expect(await settleCreation(stage, found)).toMatchObject(done)
  await stage.app.kill()
  await stage.restart()
  expect(await settleCreation(stage, found)).toMatchObject(done)
  expect(await settleCreation(stage, { operationId, outcome: 'NOT_CREATED' })).toMatchObject({ statusRaw: 'settled' })
  expect(await mutate(stage, 'createGatewayPayment', input)).toMatchObject({ __typename: 'OutcomeUnknownError' })
})

it('a callback after an operator found nothing brings the payment back, also over a restart', async () => {
  const { operationId, paymentId, input } = await unansweredCreation(stage, { arrives: true })
  await settleCreation(stage, { operationId, outcome: 'NOT_CREATED' })
  await stage.app.kill()
  const made = stage.sandbox.control.state().gatewayPayments.find((one) => String(one.paymentId) === paymentId)
  await stage.restart()
  await stage.sandbox.control.setStatus(made?.uuid ?? '', 'received')
  const query = 'query G($id: ID!) { gatewayPayment(id: $id) { status overrulesOperator } }'
  expect((await stage.ask(query, { id: paymentId })).data['gatewayPayment']).toEqual({
    status: 'RECEIVED',
    overrulesOperator: true,
  })
  const posts = stage.sandbox.control.state().gatewayPayments.length
  expect(await mutate(stage, 'createGatewayPayment', input)).toMatchObject({ __typename: 'OutcomeUnknownError' })
  expect(stage.sandbox.control.state().gatewayPayments).toHaveLength(posts)
})

it('a creation whose process was killed can be settled once its lease is over', async () => {
  const input = gatewayInput()
  const held = stage.proxy.holdNextPost('/v1/payment_gateways/create_payment')
  const lost = mutate(stage, 'createGatewayPayment', input).catch(() => null)
  await held.answered
  await stage.app.kill()
  expect(await lost).toBeNull()
  await stage.restart()
  const again = await mutate(stage, 'createGatewayPayment', input)
  expect(again).toMatchObject({ __typename: 'OutcomeUnknownError' })
  const operationId = again['operationId']
  const made = stage.sandbox.control.state().gatewayPayments.at(-1)
  const found = { operationId, outcome: 'CREATED', paymentId: String(made?.paymentId) }
  expect(await settleCreation(stage, found)).toMatchObject({ outcome: 'CREATED' })
})
