import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { aliasPayinInput, payinInput } from '../support/inputs.ts'
import { asked, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { BY_HAND, createPayin, readPayment } from '../support/payins.ts'
import { isCaughtUp, PAYMENT_UPDATES } from '../support/streams.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND })))
afterEach(() => network.sandbox.control.clearFaults())
afterAll(() => network.close())

const create = (over: Record<string, unknown> = {}, on = network) => mutate(on, 'createPayin', payinInput(over))
const creations = (on = network) => asked(on, 'POST', '/v2/payins')

describe('what a method needs', () => {
  it('is told with the method', async () => {
    const { data } = await network.ask<{ payinMethod: { requiredFields: { name: string }[] } }>(
      '{ payinMethod(code: "jp_bank_jpy") { requiredFields { name type required label raw } } }',
    )
    expect(data.payinMethod.requiredFields.map(({ name }) => name)).toEqual([
      'user_id',
      'user_name',
      'first_name',
      'last_name',
      'phone',
      'email',
      'ip_address',
    ])
    expect(data.payinMethod.requiredFields[2]).toEqual({
      name: 'first_name',
      type: 'string',
      required: true,
      label: 'First name in katakana',
      raw: 'string:Mandatory First name in katakana',
    })
  })

  it.each<[string[], Record<string, unknown>]>([
    [['methodFields', 'user_name'], { methodFields: {} }],
    [['methodFields', 'user_name'], { methodFields: { user_name: ' ' } }],
    [['methodFields', 'user_name'], { methodFields: { user_name: 7 } }],
    [['methodFields', 'callback_url'], aliasPayinInput({ methodFields: { phone: '1' } })],
    [['gst'], { gst: true }],
    [['amount', 'value'], { amount: { value: '0.5', currency: 'KRW' } }],
    [['amount', 'currency'], { amount: { value: '25000', currency: 'XYZ' } }],
    [['methodCode'], { methodCode: 'jp_bank_jpy' }],
    [['site'], { site: 'jpy' }],
  ])('is checked at %j before anything is made', async (path, over) => {
    const before = creations()
    expect(await create(over)).toMatchObject({ __typename: 'PaymentsInvalidInputError', problems: [{ path }] })
    expect(creations()).toBe(before)
  })

  it('includes its limits, and that it is enabled', async () => {
    const before = creations()
    const { data } = await network.ask<{ payinMethod: Record<'minAmount' | 'maxAmount', { value: string }> }>(
      '{ payinMethod(code: "kr_bank_krw") { minAmount { value currency } maxAmount { value currency } } }',
    )
    const { minAmount: min, maxAmount: max } = data.payinMethod
    for (const value of [Number(min.value) - 1, Number(max.value) + 1].map(String))
      expect(await create({ amount: { value, currency: 'KRW' } })).toMatchObject({
        __typename: 'PaymentsAmountOutOfRangeError',
        min,
        max,
      })
    expect(await create({ methodCode: 'kr_card_krw' })).toMatchObject({
      __typename: 'PaymentsMethodUnavailableError',
      availableCodes: ['kr_bank_krw'],
    })
    expect(creations()).toBe(before)
  })
})

describe('a direct payin', () => {
  it('shows whether GST is added, and how much, also after its webhooks, which do not say', async () => {
    const query = 'query G($id: ID!) { payment(id: $id) { gst gstAmount { value } total { value } status } }'
    for (const [gst, gstAmount, total] of [
      [true, '12.55', '138.05'],
      [false, '0.00', '125.50'],
    ] as const) {
      const { id } = await createPayin(network, aliasPayinInput({ gst }))
      await network.sandbox.control.setStatus(id, 'received')
      const shown = { gst, gstAmount: { value: gstAmount }, total: { value: total }, status: 'RECEIVED' }
      await expect.poll(async () => (await network.ask(query, { id })).data['payment']).toEqual(shown)
    }
  })

  it('comes with its instructions, and reaches the payments API as asked', async () => {
    const payin = await createPayin(network, { reference: 'order-1815' })
    expect(payin).toMatchObject({
      __typename: 'CreatePayinSuccess',
      replayed: false,
      status: 'PENDING',
      reference: 'order-1815',
      amount: { value: '25000.0', currency: 'KRW' },
      method: { code: 'kr_bank_krw' },
      instructions: { raw: { bank_name: 'Sandbox Bank', account_number: expect.stringMatching(/^\d+$/) } },
    })
    const kept = network.sandbox.control.state().payins.find(({ uuid }) => uuid === payin.id)
    expect(kept).toMatchObject({ methodCode: 'kr_bank_krw', externalId: 'order-1815', siteId: 'krw', amount: '25000' })
  })

  it('or a link in parts of a unit is sent as submitted, and shown as asked for and as recorded', async () => {
    const query = `query P($id: ID!) {
      payment(id: $id) { amount { value } requestedAmount { value currency } provisional }
    }`
    const shown = (value: string, recorded: string, currency: string) => ({
      payment: { amount: { value: recorded }, requestedAmount: { value, currency }, provisional: false },
    })
    const { id } = await createPayin(network, { amount: { value: '25000.5', currency: 'KRW' } })
    expect((await network.ask(query, { id })).data).toEqual(shown('25000.5', '25001.0', 'KRW'))
    const amount = { value: '1000.4', currency: 'JPY' }
    const link = await createLink(network, { amount, methodCode: 'jp_card_jpy' })
    await network.sandbox.control.setStatus(link.id, 'received')
    await network.sandbox.settle()
    await expect
      .poll(async () => {
        const { data } = await network.ask<{ paymentLink: { payment: { id: string } | null } }>(
          'query L($id: ID!) { paymentLink(id: $id) { payment { id } } }',
          { id: link.id },
        )
        return (await network.ask(query, { id: data.paymentLink.payment?.id ?? '' })).data
      })
      .toEqual(shown('1000.4', '1000.0', 'JPY'))
  })

  it('names the site that it was made with, and when it expires', async () => {
    const expiresAt = new Date(Date.now() + 3 * 3_600_000).toISOString().replace(/\.\d+Z$/, '.000Z')
    const { id } = await createPayin(network, { expiresAt, site: 'krw' })
    const { data } = await network.ask('query P($id: ID!) { payment(id: $id) { site expiresAt } }', { id })
    expect(data).toEqual({ payment: { site: 'krw', expiresAt } })
  })

  it('that was made is replayed, though it expires soon', async () => {
    let now = Date.now()
    const own = await startNetwork({ sandbox: BY_HAND, clock: () => new Date(now) })
    onTestFinished(() => own.close())
    const input = payinInput({ expiresAt: new Date(now + 16 * 60_000).toISOString() })
    const first = await mutate(own, 'createPayin', input)
    now += 5 * 60_000
    expect(await mutate(own, 'createPayin', input)).toMatchObject({ replayed: true, payment: first['payment'] })
    expect(creations(own)).toBe(1)
  })

  it('without an amount leaves it to the payer, where the method does', async () => {
    const open = { amount: undefined, currency: 'USDC', methodCode: 'usdc_bank', methodFields: {} }
    const { id } = await createPayin(network, open)
    expect(network.sandbox.control.state().payins.find(({ uuid }) => uuid === id)).toMatchObject({
      currency: 'USDC',
      methodCode: 'usdc_bank',
      siteId: 'usdc',
      amount: '0',
    })
    expect(await readPayment(network, id)).toMatchObject({
      status: 'PENDING',
      amount: { value: '0.000000', currency: 'USDC' },
    })
    const amount = { value: '25.5', currency: 'USDC' }
    await mutate(network, 'simulatePayin', { paymentId: id, outcome: 'COMPLETED', amount })
    await network.sandbox.settle()
    const { data } = await network.ask('query P($id: ID!) { payment(id: $id) { status paid { value currency } } }', {
      id,
    })
    expect(data).toEqual({ payment: { status: 'RECEIVED', paid: { ...amount, value: '25.500000' } } })
  })

  it('whose instructions come late has them by a webhook, in the same status', async () => {
    const { id } = await createPayin(network, aliasPayinInput())
    expect(await readPayment(network, id)).toMatchObject({ status: 'PENDING', instructions: null })
    const stream = await network.follow(PAYMENT_UPDATES, { id })
    await stream.until(isCaughtUp)
    await network.sandbox.control.advance(BY_HAND.paceMs / 1000)
    const told = await stream.next()
    await stream.end()
    expect(told).toMatchObject({
      event: { kind: 'PAYMENT_DETAILS_CHANGED', source: 'WEBHOOK', fromStatus: 'pending', toStatus: 'pending' },
    })
    expect(await readPayment(network, id)).toMatchObject({
      status: 'PENDING',
      instructions: { raw: { payment_url: expect.stringContaining(id) } },
    })
  })

  it.each([
    ['COMPLETED', 'received', { status: 'RECEIVED', paid: { value: '25000.0' } }],
    ['FAILED', 'failed', { status: 'FAILED' }],
  ] as const)('is simulated to be %s, and told live', async (outcome, toStatus, after) => {
    const { id } = await createPayin(network)
    const stream = await network.follow(PAYMENT_UPDATES, { id })
    await stream.until(isCaughtUp)
    expect(await mutate(network, 'simulatePayin', { paymentId: id, outcome })).toMatchObject({
      __typename: 'SimulationAccepted',
      response: { status: 'ok' },
    })
    const told = await stream.until(({ event }) => event?.toStatus === toStatus)
    await stream.end()
    expect(told.at(-1)).toMatchObject({ event: { source: 'WEBHOOK' }, payment: { id, status: after.status } })
    expect(await readPayment(network, id)).toMatchObject(after)
    expect(await mutate(network, 'simulatePayin', { paymentId: id, outcome })).toMatchObject({
      __typename: 'PaymentsUpstreamRejectedError',
      httpStatus: 400,
    })
  })

  it('cannot be simulated when nobody knows it, or in another currency', async () => {
    const simulate = (input: Record<string, unknown>) =>
      mutate(network, 'simulatePayin', { outcome: 'FAILED', ...input })
    expect(await simulate({ paymentId: 'a' })).toMatchObject({ __typename: 'PaymentsNotFoundError' })
    const { id: paymentId } = await createPayin(network)
    const amount = { value: '1', currency: 'AUD' }
    expect(await simulate({ paymentId, amount })).toMatchObject({ problems: [{ path: ['amount', 'currency'] }] })
    expect(await readPayment(network, paymentId)).toMatchObject({ status: 'PENDING' })
  })

  it('is read and followed by its owner, with its token, and by nobody else without the right', async () => {
    const { id, statusToken } = await createPayin(network, { ownerId: 'customer-7' })
    const other = await createPayin(network)
    const bare = (subject: string) => network.token({ scopes: [], subject })
    const owner = await bare('customer-7')
    const stranger = await bare('customer-8')
    expect(await readPayment(network, id, { token: owner })).toMatchObject({ id })
    expect(await readPayment(network, id, { token: stranger })).toBeNull()
    expect(await readPayment(network, id, { token: null })).toBeNull()
    expect(await readPayment(network, id, { token: null, statusToken })).toMatchObject({ id })
    expect(await readPayment(network, other.id, { token: owner, statusToken })).toBeNull()

    for (const [variables, token] of [
      [{ id }, owner],
      [{ id, statusToken }, null],
    ] as const) {
      const stream = await network.follow(PAYMENT_UPDATES, variables, { token })
      expect(await stream.next()).toMatchObject({ kind: 'SNAPSHOT', payment: { id } })
      await stream.end()
    }
    const refused = await network.follow(PAYMENT_UPDATES, { id }, { token: stranger })
    await expect(refused.next()).rejects.toMatchObject({ errors: [{ extensions: { code: expect.any(String) } }] })
  })
})
