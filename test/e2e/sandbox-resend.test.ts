import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'
import { deliveries } from '../support/webhooks.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

it('a webhook that the sandbox sends again is one delivery of two attempts, and changes nothing', async () => {
  const { control } = network.sandbox
  const { id } = await createLink(network)
  await control.setStatus(id, 'received')
  const before = await historyOf(network, id)
  const record = control.webhooks().find(({ subject }) => subject === id)
  expect(await control.resend(record?.id ?? '')).toMatchObject({ status: 200, resent: true })
  expect(await deliveries(network, [before.payment?.id ?? ''])).toMatchObject([{ attempts: 2 }])
  expect(await historyOf(network, id)).toEqual(before)
})
