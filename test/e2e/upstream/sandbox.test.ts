import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../../../src/sandbox/index.ts'
import { createSites, type Site, type Sites } from '../../../src/upstream/client/sites.ts'
import { createUpstreamClient, type UpstreamClient } from '../../../src/upstream/client/upstream-client.ts'
import { faultOf } from './open.ts'
import { refusingPort } from './scripted-service.ts'

/** In milliseconds: long on the sandbox clock, so that no status changes until a test moves the clock. */
const PACE_MS = 600_000

let sandbox: Sandbox
let sites: Sites
let client: UpstreamClient
let webhook: { endpointUrl: string; authorizationHeader: string }

beforeAll(async () => {
  sandbox = await startSandbox({ paceMs: PACE_MS })
  sites = createSites(sandbox.sites)
  client = createUpstreamClient({ baseUrl: sandbox.url, sites })
  // Nothing listens there: webhooks are not tested here.
  webhook = { endpointUrl: `http://127.0.0.1:${await refusingPort()}/hook`, authorizationHeader: 'Bearer v1.k.abc' }
})
afterAll(async () => {
  await client.close()
  await sandbox.close()
})

function siteFor(currency: string): Site {
  const site = sites.forCurrency(currency)
  if (site === null) throw new Error(`The sandbox has no site for ${currency}.`)
  return site
}

const day = (ms: number) => new Date(sandbox.clock.now().getTime() + ms)
const DAY_MS = 86_400_000

describe('payment agreements at the sandbox', () => {
  it('are created, amended, changed and found', async () => {
    const aud = siteFor('AUD')
    const terms = { limit: '5000.50', amountRule: 'VARIABLE', frequency: 'MONTHLY', startDate: '2027-02-28' } as const
    const request = {
      ...terms,
      webhook,
      clientTransactionId: 'mandate-1',
      description: 'Monthly rent',
      purpose: 'DEPENDANT_SUPPORT',
      payer: { name: 'Jo Payer', bankAccount: { bsb: '062-000', accountNumber: '123456789' } },
    } as const
    const created = await client.createPaymentAgreement(aud, request)
    expect(created).toMatchObject({ ...terms, limit: expect.stringMatching(/^5000\.50?$/), status: 'created' })
    expect(created).toMatchObject({ clientTransactionId: 'mandate-1', purpose: 'DEPENDANT_SUPPORT' })
    expect(created.payer).toMatchObject({ bsb: '062-000', accountNumberMasked: '***789', payIdMasked: null })

    const serviceId = created.serviceId ?? ''
    const again = await faultOf(client.createPaymentAgreement(aud, request))
    expect(again.detail).toMatchObject({ kind: 'refused', httpStatus: 422 })

    await sandbox.clock.advance(PACE_MS)
    const amended = await client.amendPaymentAgreement(aud, {
      ...terms,
      webhook,
      serviceId,
      limit: '70',
      amountRule: 'FIXED',
    })
    expect(amended).toMatchObject({ id: created.id, limit: expect.stringMatching(/^70(\.0+)?$/), amountRule: 'FIXED' })

    const cancelled = await client.changeAgreementStatus(aud, { serviceId, status: 'cancelled' })
    expect(cancelled).toMatchObject({ id: created.id, status: 'cancelled' })

    const page = await client.searchAgreements(aud, { from: day(-DAY_MS), to: day(DAY_MS) })
    expect(page).toMatchObject({ page: 1, nextPage: null, totalPages: 1, totalCount: 1 })
    expect(page.entries.map(({ report: { id, status } }) => [id, status])).toEqual([[created.id, 'cancelled']])
  })
})

describe('direct payins at the sandbox', () => {
  it('are offered, made, read, simulated and refunded', async () => {
    const php = siteFor('PHP')
    const methods = await client.listDirectPayinMethods(php)
    expect(methods.map(({ code }) => code)).toContain('ph_bank_maya_php')
    const method = await client.payinMethodFields(php, 'ph_bank_maya_php')
    expect(method).toMatchObject({ code: 'ph_bank_maya_php', currency: 'PHP', requiresContact: false })

    const methodFields = Object.fromEntries(
      method.fields.filter((field) => field.required).map(({ name }) => [name, 'x']),
    )
    const made = await client.createPayin(php, {
      currency: 'PHP',
      amount: '500.10',
      gst: false,
      customerName: 'Jo Payer',
      customerEmail: 'jo@payer.test',
      methodCode: method.code,
      methodFields,
      externalId: 'order-18',
      webhook,
    })
    expect(made).toMatchObject({ status: 'pending', payer: { email: 'jo@payer.test' } })
    expect(made.details).toMatchObject({ currency: 'PHP', reference: 'order-18', methodRaw: 'ph_bank_maya_php' })
    expect(made.details.instructions).not.toBeNull()

    const simulation = { uuid: made.paymentId, status: 'completed', amount: null } as const
    expect(await client.simulatePayin(php, simulation)).toEqual({ status: 'ok' })
    const read = await client.getPayin(php, made.paymentId)
    expect(read).toMatchObject({ paymentId: made.paymentId, status: 'received', details: { paid: '500.1' } })

    const refund = { uuid: made.paymentId, amount: '40.10', description: 'Returned goods' }
    const refunded = await client.refundPayin(php, refund)
    expect(refunded).toMatchObject({ totalAmount: '500.1', refundAmount: '40.1', report: { status: 'return_pending' } })
    const tooMuch = await faultOf(client.refundPayin(php, { ...refund, amount: '9000' }))
    expect(tooMuch.detail).toMatchObject({ kind: 'refused', httpStatus: 422 })
  })

  it('of another site are not found', async () => {
    const fault = await faultOf(client.getPayin(siteFor('AUD'), 'VMMAOTFQ'))
    expect(fault.detail).toMatchObject({ kind: 'refused', httpStatus: 400 })
  })
})

describe('a link at the sandbox', () => {
  it('is refunded by its own uuid', async () => {
    const aud = siteFor('AUD')
    const link = await client.createPayinLink(aud, {
      amount: { value: '100', currency: 'AUD' },
      description: 'Order 17',
      sender: { email: 'jo@payer.test', firstName: 'Jo', lastName: 'Payer' },
      methodCode: 'au_card_aud',
      webhook,
    })
    const early = await faultOf(
      client.refundPayinLink(aud, { uuid: link.uuid, amount: null, description: 'Too early' }),
    )
    expect(early.detail).toMatchObject({ kind: 'refused', httpStatus: 422 })
    await sandbox.control.setStatus(link.uuid, 'received')
    const answer = await client.refundPayinLink(aud, { uuid: link.uuid, amount: null, description: 'Returned goods' })
    expect(answer).toMatchObject({ refundAmount: '100.0', report: { status: 'return_pending' } })
  })
})

describe('payouts at the sandbox', () => {
  it('are offered, made, listed, cancelled and completed', async () => {
    const php = siteFor('PHP')
    expect((await client.listPayoutMethods(php)).map(({ code }) => code)).toContain('ph_bank_maya_php')
    const method = await client.payoutMethodFields(php, 'ph_bank_maya_php')
    const [bank] = method.banks
    const batch = {
      currency: 'PHP',
      methodCode: method.code,
      description: 'Salaries of May',
      transactions: [
        {
          firstName: 'Ada',
          lastName: 'Payee',
          email: 'ada@payee.test',
          amount: '300.50',
          methodFields: { account_number: '1234567890', account_name: 'Ada Payee', bank_code: bank?.code },
        },
      ],
      webhook,
    }
    const made = await client.createPayout(php, batch)
    expect(made).toMatchObject({ status: 'created', currency: 'PHP', methodCode: method.code })
    expect(made.transactions).toMatchObject([{ amount: '300.50' }])
    expect(made.payees).toMatchObject([{ name: 'Ada Payee', accountNumberMasked: '***890' }])

    const later = await client.createPayout(php, { ...batch, scheduledAt: day(7 * DAY_MS) })
    expect(later.status).toBe('scheduled')
    expect(await client.cancelScheduledPayout(php, later.id)).toEqual({ statusRaw: 'ok' })
    const page = await client.listPayouts(php, { from: day(-DAY_MS), to: day(DAY_MS), page: 1 })
    expect(page).toMatchObject({ page: 1, totalPages: 1, totalCount: 2 })
    expect(new Set(page.payouts.map(({ id }) => id))).toEqual(new Set([made.id, later.id]))

    await sandbox.clock.advance(3 * PACE_MS)
    expect(await client.getPayout(php, made.id)).toMatchObject({
      status: 'completed',
      transactions: [{ statusRaw: 'settled' }],
    })
  })
})

describe('gateway payments at the sandbox', () => {
  const request = {
    amount: { value: '100.50', currency: 'AUD' },
    description: 'Order payment',
    successUrl: 'https://merchant.test/done',
    billing: { firstName: 'Jo', lastName: 'Payer', phone: '+61412345678', email: 'jo@payer.test' },
    items: [{ id: 'i1', name: 'Ticket', quantity: 2, price: '50.25' }],
  }
  const tokenCalls = () => sandbox.control.calls().filter(({ path }) => path.endsWith('/access_token')).length

  it('are made with one token until it has ended, and then with another', async () => {
    const aud = siteFor('AUD')
    const first = await client.createGatewayPayment(aud, { ...request, webhook, orderId: 'o1' })
    expect(first).toMatchObject({ orderId: 'o1', paymentId: expect.stringMatching(/^\d+$/) })
    expect(URL.canParse(first.redirectUrl)).toBe(true)
    await client.createGatewayPayment(aud, { ...request, webhook, orderId: 'o2' })
    expect(tokenCalls()).toBe(1)
    await sandbox.clock.advance(3_600_000)
    expect((await client.createGatewayPayment(aud, { ...request, webhook, orderId: 'o3' })).orderId).toBe('o3')
    expect(tokenCalls()).toBe(2)
  })
})

describe('accounts at the sandbox', () => {
  it('have balances, which a deposit raises by its amount', async () => {
    const jpy = siteFor('JPY')
    const before = await client.getBalances(jpy, 'JPY')
    const deposit = { accountNumber: '1234567', amount: '1000', remitterName: 'ﾔﾏﾀﾞ' }
    expect(await client.simulateDeposit(jpy, deposit)).toEqual({ status: 'ok' })
    const after = await client.getBalances(jpy, 'JPY')
    expect(Number(after.available) - Number(before.available)).toBe(1_000)
    expect(after.currency).toBe('JPY')
  })

  it('are found by their VietQR payload', async () => {
    const vnd = siteFor('VND')
    for (const { qrContent, accountName, accountNumber, bankName, swiftCode } of sandbox.control.bankAccounts())
      expect(await client.lookupBankByQr(vnd, qrContent)).toEqual({ accountName, accountNumber, bankName, swiftCode })
    expect((await faultOf(client.lookupBankByQr(vnd, '000201'))).detail).toMatchObject({ httpStatus: 404 })
  })
})
