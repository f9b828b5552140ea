import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GATEWAY_PAYMENT_UPDATES, setGatewayStatus } from '../support/gateway-payments.ts'
import { gatewayInput } from '../support/inputs.ts'
import { mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'
import { addressFor, deliver, deliveries } from '../support/webhooks.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND })))
afterAll(() => network.close())

const FIELDS = 'id reference status statusRaw amount { value currency } description provisional version site'

const create = async (over: Record<string, unknown> = {}): Promise<string> =>
  String((await mutate(network, 'createGatewayPayment', gatewayInput(over)))['paymentId'])

const read = async (id: string) =>
  (await network.ask(`query G($id: ID!) { gatewayPayment(id: $id) { ${FIELDS} } }`, { id })).data['gatewayPayment']

describe('a gateway payment on record', () => {
  it('tells its order, its state and its history', async () => {
    const reference = `order-${Date.now()}`
    const id = await create({ reference })
    expect(await read(id)).toEqual({
      id,
      reference,
      status: 'CREATED',
      statusRaw: 'created',
      amount: { value: '99.95', currency: 'AUD' },
      description: gatewayInput()['description'],
      provisional: false,
      version: 1,
      site: 'aud',
    })
    await setGatewayStatus(network, id, 'received')
    const history = `query G($id: ID!) { gatewayPayment(id: $id) { events { nodes { id kind source fromStatus toStatus gatewayPayment { status } } } } }`
    expect((await network.ask(history, { id })).data['gatewayPayment']).toEqual({
      events: {
        nodes: [
          {
            id: `gateway:${id}.1`,
            kind: 'GATEWAY_PAYMENT_CREATED',
            source: 'COMMAND',
            fromStatus: null,
            toStatus: 'created',
            gatewayPayment: { status: 'RECEIVED' },
          },
          {
            id: `gateway:${id}.2`,
            kind: 'GATEWAY_PAYMENT_STATUS_CHANGED',
            source: 'WEBHOOK',
            fromStatus: 'created',
            toStatus: 'received',
            gatewayPayment: { status: 'RECEIVED' },
          },
        ],
      },
    })
  })

  it('shows a status that is not documented as it is, and quarantines a body without an id or a status', async () => {
    const id = await create()
    await setGatewayStatus(network, id, 'pending')
    const [told] = await deliveries(network, [id])
    const ref = await network.ask<{ webhookDelivery: { ref: string } }>(
      'query D($id: ID!) { webhookDelivery(id: $id) { ref } }',
      { id: told?.id },
    )
    const url = `${network.app.url}/webhooks/gateway-payments/${ref.data.webhookDelivery.ref}`
    const address = addressFor(url, 'gateway-payment')
    const say = async (body: object) => (await deliver(address, JSON.stringify(body))).status
    expect(await say({ payment_id: Number(id), status: 'quite_new', payer: 'Ada' })).toBe(200)
    expect(await read(id)).toMatchObject({ status: 'UNRECOGNISED', statusRaw: 'quite_new', provisional: true })
    expect([await say({ payment_id: id }), await say({ status: 'received' })]).toEqual([400, 400])
    expect(await say({ payment_id: 1 + Number(id), status: 'received' })).toBe(200)
    expect(await read(id)).toMatchObject({ status: 'UNRECOGNISED' })
    expect((await deliveries(network, [String(1 + Number(id))]))[0]).toMatchObject({ disposition: 'QUARANTINED' })
    expect(network.log()).not.toContain('Ada')
  })

  it('is what the mutation returns, and an entity that is read with all others at once', async () => {
    const query = `mutation C($input: CreateGatewayPaymentInput!) {
      createGatewayPayment(input: $input) { ... on CreateGatewayPaymentSuccess { paymentId payment { id status } } }
    }`
    const { data } = await network.ask<{ createGatewayPayment: { paymentId: string } }>(query, {
      input: gatewayInput(),
    })
    const { paymentId: id } = data.createGatewayPayment
    expect(data.createGatewayPayment).toEqual({ paymentId: id, payment: { id, status: 'CREATED' } })
  })
})

describe('the updates of a gateway payment', () => {
  it('begin with its state, and go on live; from a cursor they are replayed', async () => {
    const id = await create()
    const stream = await network.follow(GATEWAY_PAYMENT_UPDATES, { id })
    const snapshot = await stream.next()
    expect(snapshot).toMatchObject({ kind: 'SNAPSHOT', event: null, gatewayPayment: { id, status: 'CREATED' } })
    expect(await stream.next()).toMatchObject({ kind: 'CAUGHT_UP' })
    await setGatewayStatus(network, id, 'received')
    const received = {
      kind: 'EVENT',
      event: {
        id: `gateway:${id}.2`,
        kind: 'GATEWAY_PAYMENT_STATUS_CHANGED',
        source: 'WEBHOOK',
        gatewayPayment: { id, status: 'RECEIVED', version: 2 },
      },
      gatewayPayment: { id, status: 'RECEIVED', statusRaw: 'received', version: 2 },
    }
    expect(await stream.next()).toMatchObject(received)
    await stream.end()
    const replayed = await network.follow(GATEWAY_PAYMENT_UPDATES, { id, after: snapshot?.cursor })
    expect(await replayed.next()).toMatchObject(received)
    expect(await replayed.next()).toMatchObject({ kind: 'CAUGHT_UP' })
    await replayed.end()
  })
})
