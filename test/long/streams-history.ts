import { randomUUID } from 'node:crypto'
import { callbackAddressOf, createAgreement } from '../support/agreements.ts'
import type { Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { addressFor, addressOf, deliver, paymentBody, send, type WebhookAddress } from '../support/webhooks.ts'
import type { Subjects } from './streams-reconnecting.ts'

/** The last status of a history; unknown to the payments API, so that it plans no read. */
export const THE_END = 'the_end'

/** A link with a payment, and an agreement, which the test changes through real webhooks. */
export type History = {
  readonly subjects: Subjects
  /** Sends a webhook of the payment, by default with a new status. */
  tellPayment(status?: string): Promise<void>
  /** Sends a callback of the agreement, by default alternately active and suspended. */
  tellAgreement(status?: string): Promise<void>
}

export async function startHistory(network: Network): Promise<History> {
  const link = await createLink(network)
  const address = await addressOf(network, link)
  const agreement = await createAgreement(network)
  await network.sandbox.control.setAgreementStatus(agreement.serviceId, 'active')
  const body = network.sandbox.control.webhooks().findLast(({ subject }) => subject === agreement.id)?.body ?? ''
  const callbacks = await callbackAddressOf(network, agreement.id)
  const paymentId = randomUUID()
  let changes = 0

  const tellPayment = async (status = `status_${++changes}`) => {
    const reply = await deliver(here(network, address), paymentBody({ uuid: paymentId, status }))
    if (reply.status !== 200) throw new Error(`A webhook was answered ${reply.status}.`)
  }
  await tellPayment()
  return {
    subjects: { linkId: link.id, paymentId, agreementId: agreement.id },
    tellPayment,
    async tellAgreement(status = ++changes % 2 === 0 ? 'active' : 'suspended') {
      const { url, authorization } = here(network, callbacks, 'agreement')
      const headers = { 'content-type': 'application/json', authorization }
      // Equal bytes would be a repeat, which changes nothing.
      const told = body.replace('"active"', `"${status}"`).replace(/\}$/, `,"told":${++changes}}`)
      const reply = await send(url, { headers, body: told })
      if (reply.status !== 200) throw new Error(`A callback was answered ${reply.status}.`)
    },
  }
}

/** The webhook address contains the port of the first start; this returns it with the current one. */
function here({ app }: Network, { url }: WebhookAddress, kind: 'payment' | 'agreement' = 'payment'): WebhookAddress {
  return addressFor(`${app.url}${new URL(url).pathname}`, kind)
}
