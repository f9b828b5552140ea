import { randomUUID } from 'node:crypto'
import { callbackAddressOf, createAgreement } from '../support/agreements.ts'
import type { Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { addressFor, addressOf, deliver, paymentBody, send, type WebhookAddress } from '../support/webhooks.ts'
import type { Subjects } from './streams-reconnecting.ts'

/** A status that ends a history; none that the payments API knows, and so no reason to read anything back. */
export const THE_END = 'the_end'

/** A link with a payment, and an agreement, that change whenever the test says so, by webhooks through the real door. */
export type History = {
  readonly subjects: Subjects
  /** A webhook of the payment, with a status that it has never had. */
  tellPayment(status?: string): Promise<void>
  /** A callback of the agreement, which is active and suspended by turns. */
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
      // The same bytes would be a repeat, which changes nothing.
      const told = body.replace('"active"', `"${status}"`).replace(/\}$/, `,"told":${++changes}}`)
      const reply = await send(url, { headers, body: told })
      if (reply.status !== 200) throw new Error(`A callback was answered ${reply.status}.`)
    },
  }
}

/** The address as the payments API keeps it names the port of the first start, and that stays. */
function here({ app }: Network, { url }: WebhookAddress, kind: 'payment' | 'agreement' = 'payment'): WebhookAddress {
  return addressFor(`${app.url}${new URL(url).pathname}`, kind)
}
