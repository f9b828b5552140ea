import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agreementInput, payinInput } from '../support/inputs.ts'
import { mutate, type MutationName } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { linkInput } from '../support/operations.ts'
import { BY_HAND } from '../support/payins.ts'
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts'

let network: Network
let proxy: UpstreamProxy
beforeAll(async () => {
  proxy = await startUpstreamProxy()
  network = await startNetwork({ upstreamUrl: proxy.url, sandbox: BY_HAND })
  proxy.target = network.sandbox.origin
})
afterAll(async () => {
  await network.close()
  await proxy.close()
})

/** Runs `happen` after the payments API has carried out a command, and before the app receives its answer. */
async function overtake(
  asked: { readonly name: MutationName; readonly path: string; readonly input: Record<string, unknown> },
  happen: () => Promise<void>,
) {
  const held = proxy.holdNextPost(asked.path)
  const answer = mutate(network, asked.name, asked.input)
  await held.answered
  await happen()
  await network.sandbox.settle()
  held.release()
  return answer
}

/** Returns whether the app accepted every webhook about a subject at the first attempt. */
function taken(subject: string): boolean {
  const sent = network.sandbox.control.webhooks().filter((webhook) => webhook.subject === subject)
  return sent.length > 0 && sent.every(({ attempts }) => attempts.map(({ status }) => status).join() === '200')
}

describe('a webhook that comes before the answer to what it is about', () => {
  it.each(['pending', 'authorised', 'received', 'failed'] as const)(
    'tells of a link, and makes one payment that stays %s',
    async (status) => {
      let uuid = ''
      const asked = { name: 'createPaymentLink', path: '/v3/payin_links', input: linkInput() } as const
      const result = await overtake(asked, async () => {
        uuid = network.sandbox.control.state().links.at(-1)?.uuid ?? ''
        await network.sandbox.control.setStatus(uuid, status)
        expect(taken(uuid)).toBe(true)
      })
      expect(result).toMatchObject({ replayed: false, link: { id: uuid } })
      const { data } = await network.ask<{ paymentLink: { events: { nodes: unknown[] } } }>(
        `query L($id: ID!) { paymentLink(id: $id) {
          payment { id statusRaw } events { nodes { kind toStatus payment { id } } }
        } }`,
        { id: uuid },
      )
      const id = network.sandbox.control.state().links.find((link) => link.uuid === uuid)?.paymentUuid
      expect(data.paymentLink).toMatchObject({ payment: { id, statusRaw: status } })
      expect(data.paymentLink.events.nodes.slice(0, 2)).toMatchObject([
        { kind: 'PAYMENT_STATUS_CHANGED', toStatus: status, payment: { id } },
        { kind: 'LINK_CREATED' },
      ])
      expect(network.log()).not.toContain('orphan link paid')
    },
  )

  it.each(['authorised', 'received', 'failed'] as const)(
    'tells of a direct payin, which stays %s although the answer says pending',
    async (status) => {
      let uuid = ''
      const asked = { name: 'createPayin', path: '/v2/payins', input: payinInput() } as const
      const result = await overtake(asked, async () => {
        uuid = network.sandbox.control.state().payins.at(-1)?.uuid ?? ''
        await network.sandbox.control.setStatus(uuid, status)
        expect(taken(uuid)).toBe(true)
      })
      expect(result).toMatchObject({ replayed: false, payment: { id: uuid, status: status.toUpperCase() } })
      expect(await mutate(network, 'createPayin', asked.input)).toMatchObject({
        replayed: true,
        payment: { id: uuid, status: status.toUpperCase() },
      })
    },
  )

  it.each(['active', 'suspended', 'failed', 'cancelled'] as const)(
    'tells of an agreement, which stays %s although the answer says created',
    async (status) => {
      const input = agreementInput()
      const asked = { name: 'createPaymentAgreement', path: '/v1/pay_to/payment_agreement', input } as const
      const made = () =>
        network.sandbox.control
          .state()
          .agreements.filter(({ clientTransactionId }) => clientTransactionId === input['clientTransactionId'])
      const result = await overtake(asked, async () => {
        await network.sandbox.control.setAgreementStatus(made()[0]?.id ?? '', status)
        expect(taken(made()[0]?.paymentAgreementId ?? '')).toBe(true)
      })
      const agreement = { id: made()[0]?.paymentAgreementId, status: status.toUpperCase() }
      expect(result).toMatchObject({ replayed: false, agreement })
      expect(await mutate(network, 'createPaymentAgreement', input)).toMatchObject({ replayed: true, agreement })
      expect(made()).toHaveLength(1)
    },
  )
})
