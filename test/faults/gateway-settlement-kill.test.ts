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
  expect(await mutate(stage, 'createGatewayPayment', input)).toMatchObject({
    __typename: 'PaymentsOutcomeUnknownError',
  })
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
  expect(again).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
  const operationId = again['operationId']
  const made = stage.sandbox.control.state().gatewayPayments.at(-1)
  const found = { operationId, outcome: 'CREATED', paymentId: String(made?.paymentId) }
  expect(await settleCreation(stage, found)).toMatchObject({ outcome: 'CREATED' })
})
