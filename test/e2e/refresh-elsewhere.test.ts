import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AT_REST, eventsOf, linkElsewhere, paidElsewhere, payinElsewhere, refresh } from '../support/imports.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { readPayment } from '../support/payins.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: AT_REST })))
afterAll(() => network.close())

describe('refreshPayment of an id that is not on record', () => {
  it('records a payin that was made elsewhere, with an event', async () => {
    const id = await payinElsewhere(network)
    await network.sandbox.control.setStatus(id, 'received')
    expect(await readPayment(network, id)).toBeNull()
    expect(await refresh(network, id)).toMatchObject({ changed: true, payment: { id, status: 'RECEIVED' } })
    expect(await readPayment(network, id)).toMatchObject({ id, status: 'RECEIVED', version: 1 })
    expect(await eventsOf(network, id)).toEqual([{ source: 'READ', toStatus: 'received' }])
    expect(await refresh(network, id)).toMatchObject({ changed: false, payment: { id } })
  })

  it('records a payment by the id of its link, and reads it through that link afterwards', async () => {
    const { linkId, paymentId } = await paidElsewhere(network)
    expect(await refresh(network, linkId)).toMatchObject({
      changed: true,
      payment: { id: paymentId, status: 'RECEIVED' },
    })
    await network.sandbox.control.setStatus(linkId, 'return_received', { silent: true })
    expect(await refresh(network, paymentId)).toMatchObject({ changed: true, payment: { status: 'RETURN_RECEIVED' } })
  })

  it('finds nothing without the scope payments:reconcile', async () => {
    const id = await payinElsewhere(network)
    expect(await refresh(network, id, ['payments:read'])).toMatchObject({
      __typename: 'PaymentsNotFoundError',
      code: 'NOT_FOUND',
    })
    expect(await readPayment(network, id)).toBeNull()
    expect(await refresh(network, id, ['payments:read', 'payments:reconcile'])).toMatchObject({ changed: true })
  })

  it.each(['NOBODY99', 'no uuid at all / ..', ''])(
    'is a NOT_FOUND if the payments API does not know %j',
    async (id) => {
      expect(await refresh(network, id)).toMatchObject({ __typename: 'PaymentsNotFoundError', code: 'NOT_FOUND' })
    },
  )

  it('is a NOT_FOUND for a link through which nobody has paid', async () => {
    expect(await refresh(network, await linkElsewhere(network))).toMatchObject({ __typename: 'PaymentsNotFoundError' })
  })

  it('tells that the payments API did not answer, instead of that there is nothing', async () => {
    const path = '/v2/payins/detail'
    network.sandbox.control.addFault({ method: 'GET', path, times: 8, answer: { status: 503, body: {} } })
    expect(await refresh(network, 'NOBODY98')).toMatchObject({ __typename: 'PaymentsUpstreamUnavailableError' })
    network.sandbox.control.clearFaults()
  })
})
