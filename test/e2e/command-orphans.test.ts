import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { newKey } from '../support/inputs.ts'
import { mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { linkInput, tryCreateLink } from '../support/operations.ts'
import { BY_HAND, readPayment } from '../support/payins.ts'
import { isCaughtUp, PAYMENT_UPDATES } from '../support/streams.ts'

const DAY_MS = 24 * 3_600_000

let network: Network
let now = Date.now()
beforeAll(async () => void (network = await startNetwork({ clock: () => new Date(now), sandbox: BY_HAND })))
afterAll(() => network.close())

const uuids = () => network.sandbox.control.state().links.map(({ uuid }) => uuid)

/** Creates a link in the payments API whose creation is not answered; returns its id and the input. */
async function orphaned() {
  const input = linkInput()
  const known = new Set(uuids())
  network.sandbox.control.addFault({ method: 'POST', path: '/v3/payin_links', answer: 'drop-after' })
  expect(await tryCreateLink(network, input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
  return { input, orphan: uuids().find((uuid) => !known.has(uuid)) ?? '' }
}

const paymentOf = (uuid: string) =>
  network.sandbox.control.state().links.find((link) => link.uuid === uuid)?.paymentUuid ?? ''

async function alarms(): Promise<{ count: number; lines: Record<string, unknown>[] }> {
  const metrics = await (await fetch(`${network.app.url}/metrics`)).text()
  const lines = network.log().split('\n').filter(Boolean)
  return {
    count: Number(/^payments_orphan_links_paid_total (\d+)$/m.exec(metrics)?.[1]),
    lines: lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg === 'orphan link paid'),
  }
}

// promise(commands): An orphaned link is detected by its webhook URL; its payment raises an alert.
describe('a link that was made without an answer', () => {
  it('raises an alarm when it is paid after another was made, and the payment stays in sight', async () => {
    const { input, orphan } = await orphaned()
    now += 30_001
    const made = await tryCreateLink(network, input)
    expect(made).toMatchObject({ replayed: false })
    const before = await alarms()

    await network.sandbox.control.setStatus(orphan, 'pending')
    await network.sandbox.settle()
    const id = paymentOf(orphan)
    const stream = await network.follow(PAYMENT_UPDATES, { id })
    await stream.until(isCaughtUp)
    expect(await alarms()).toEqual(before)
    await network.sandbox.control.setStatus(orphan, 'received')
    const told = await stream.until(({ event }) => event?.toStatus === 'received')
    await stream.end()
    expect(told.at(-1)).toMatchObject({ payment: { id, status: 'RECEIVED' } })
    expect(await readPayment(network, id)).toMatchObject({ id, status: 'RECEIVED' })

    const { count, lines } = await alarms()
    expect([count - before.count, lines.length - before.lines.length]).toEqual([1, 1])
    const ref = network.sandbox.control
      .webhooks()
      .find(({ subject }) => subject === orphan)
      ?.url.split('/')
      .at(-1)
    expect(lines.at(-1)).toMatchObject({ level: 'error', paymentId: id, ref, commandId: expect.any(String) })

    const { data } = await network.ask('query L($id: ID!) { paymentLink(id: $id) { state payment { id } } }', {
      id: made.link?.id,
    })
    expect(data['paymentLink']).toEqual({ state: 'OPEN', payment: null })
    expect(await tryCreateLink(network, input)).toMatchObject({ replayed: true, link: { id: made.link?.id } })
  })

  it('can be given back when it is paid', async () => {
    const { orphan } = await orphaned()
    await network.sandbox.control.setStatus(orphan, 'received')
    const paymentId = paymentOf(orphan)
    const input = { idempotencyKey: newKey(), paymentId, description: 'Paid to nobody' }
    expect(await mutate(network, 'refundPayment', input)).toMatchObject({
      __typename: 'RefundPaymentSuccess',
      payment: { id: paymentId, status: 'RETURN_PENDING' },
    })
    expect(network.sandbox.control.state().links.find(({ uuid }) => uuid === orphan)?.status).toBe('return_pending')
  })

  it('raises it when it is paid before that as well, and then no other is made', async () => {
    const { input, orphan } = await orphaned()
    const before = await alarms()
    await network.sandbox.control.setStatus(orphan, 'received')
    expect((await alarms()).count - before.count).toBe(1)
    const made = uuids().length
    now += 30_001
    expect(await tryCreateLink(network, input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    now += DAY_MS
    // With the later clock, tokens and links of the following tests would have expired.
    onTestFinished(() => void (now -= DAY_MS))
    expect(await tryCreateLink(network, input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    expect(uuids()).toHaveLength(made)
  })

  it('is no reason for an alarm while it is not paid, and a link that was given is none at all', async () => {
    const { input, orphan } = await orphaned()
    const before = await alarms()
    for (const status of ['pending', 'failed', 'expired'] as const)
      await network.sandbox.control.setStatus(orphan, status)
    now += 30_001
    const made = await tryCreateLink(network, input)
    await network.sandbox.control.setStatus(made.link?.id ?? '', 'received')
    expect(await alarms()).toEqual(before)
  })
})
