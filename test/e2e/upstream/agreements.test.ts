import { describe, expect, it } from 'vitest'
import type { WireAgreementRequest } from '../../../src/upstream/wire/wire-agreement.ts'
import { clientOf, faultOf, fixed, json, site } from './open.ts'

const webhook = { endpointUrl: 'https://merchant.test/webhooks/agreements/r1', authorizationHeader: 'Bearer v1.k.abc' }
const terms = {
  limit: '5000.5',
  amountRule: 'VARIABLE',
  frequency: 'MONTHLY',
  startDate: '2024-07-15',
  webhook,
} as const
const request: WireAgreementRequest = {
  ...terms,
  clientTransactionId: 'order-17-mandate',
  description: 'Monthly rent',
  purpose: 'OTHER_SERVICE',
  payer: { name: 'Jo Payer', payId: { value: 'jo@payer.test', type: 'EMAIL' } },
}
const amendment = { ...terms, serviceId: '12345' }

const least = { id: 12345, payment_agreement_id: 'agreement-12345', status: 'active' }

describe('createPaymentAgreement', () => {
  it('sends the documented body and reads the documented answer', async () => {
    const { service, client } = await clientOf(fixed('agreement-created'))
    expect(await client.createPaymentAgreement(site(), request)).toMatchObject({
      id: 'agreement-12345',
      serviceId: '12345',
      status: 'created',
      purpose: 'OTHER_SERVICE',
      payer: { accountNumberMasked: '***789', payIdMasked: 'j***@payer.test' },
    })
    expect(service.requests[0]).toMatchObject({
      line: 'POST /api/v1/pay_to/payment_agreement HTTP/1.1',
      body:
        '{"client_transaction_id":"order-17-mandate","limit_amount":5000.5,"description":"Monthly rent","payment_agreement_type":"OTHER_SERVICE",' +
        '"agreement_details":{"variable_agreement_details_obj":{"start_date":"15/07/24","frequency":"MONTHLY"}},' +
        '"payer_details":{"name":"Jo Payer","pay_id_details":{"pay_id":"jo@payer.test","pay_id_type":"EMAIL"}},' +
        '"payment_agreement_notification":{"endpoint_url":"https://merchant.test/webhooks/agreements/r1","authorization_header":"Bearer v1.k.abc"}}',
    })
  })

  it('is not sent for a site of another currency, nor with a wrong body, and tells no payer', async () => {
    const { service, client } = await clientOf(fixed('agreement-created'))
    const foreign = await faultOf(client.createPaymentAgreement(site('jpy'), request))
    const wrong = await faultOf(client.createPaymentAgreement(site(), { ...request, payer: { name: 'Jo-Ann Payer' } }))
    expect(foreign.detail).toEqual({ kind: 'not-sent', reason: 'invalid-request' })
    expect(wrong.detail).toEqual({ kind: 'not-sent', reason: 'invalid-request' })
    expect(wrong.message).toContain('payer_details.name')
    expect(wrong.message).not.toContain('Jo')
    expect(service.connections()).toBe(0)
  })
})

describe('amendPaymentAgreement', () => {
  it('names the agreement by its number, and takes it out of the wrapper', async () => {
    const { service, client } = await clientOf(fixed('agreement-amended'))
    expect(await client.amendPaymentAgreement(site(), amendment)).toMatchObject({
      id: 'agreement-12345',
      serviceId: '12345',
      status: 'active',
      limit: '5000',
    })
    expect(service.requests[0]?.line).toBe('POST /api/v1/pay_to/payment_agreement/amendment HTTP/1.1')
    expect(service.requests[0]?.body).toMatch(/^\{"id":12345,"limit_amount":5000\.5,"agreement_details":/)
  })

  it('does not take the answer about another agreement', async () => {
    const { client } = await clientOf(json({ payment_agreement_amendment: { ...least, id: 4 } }))
    expect((await faultOf(client.amendPaymentAgreement(site(), amendment))).detail).toMatchObject({
      reason: 'mismatch',
    })
  })
})

describe('changeAgreementStatus', () => {
  it('sends number and status', async () => {
    const { service, client } = await clientOf(json({ ...least, status: 'suspended' }))
    const change = { serviceId: '12345', status: 'suspended' } as const
    expect(await client.changeAgreementStatus(site(), change)).toMatchObject({ status: 'suspended' })
    expect(service.requests[0]).toMatchObject({
      line: 'POST /api/v1/pay_to/payment_agreement/change_status HTTP/1.1',
      body: '{"id":12345,"status":"suspended"}',
    })
  })
})

describe('searchAgreements', () => {
  const span = { from: new Date('2024-01-01T00:00:00.900Z'), to: new Date('2024-02-01T00:00:00.100Z') }

  it('asks for whole seconds that hold the span, and leaves out what cannot be read', async () => {
    const { service, client } = await clientOf(fixed('agreements-page'))
    const page = await client.searchAgreements(site(), { ...span, page: 1, size: 2 })
    expect(service.requests[0]?.line).toBe(
      'GET /api/v1/pay_to/payment_agreement/search?from_date=2024-01-01T00%3A00%3A00&to_date=2024-02-01T00%3A00%3A01&page=1&size=2 HTTP/1.1',
    )
    expect(page).toMatchObject({ page: 1, nextPage: 2, totalPages: 3, totalCount: 5 })
    expect(page.entries.map(({ report: { id, startDate } }) => [id, startDate])).toEqual([
      ['agreement-4', '2024-02-29'],
    ])
  })

  it.each([
    [{ next_page: null, page: 3 }, 3, null],
    [{ next_page: 1, page: 3 }, 3, null],
    [{}, 1, null],
    [{ next_page: '4', page: '3' }, 3, 4],
  ])('reads the pages of %o', async (envelope, page, nextPage) => {
    const { client } = await clientOf(json({ ...envelope, records: [] }))
    expect(await client.searchAgreements(site(), span)).toMatchObject({ entries: [], page, nextPage })
  })

  it('is not sent for a span that runs backwards, or has no end', async () => {
    const { service, client } = await clientOf(fixed('agreements-page'))
    const backwards = client.searchAgreements(site(), { from: span.to, to: span.from })
    const endless = client.searchAgreements(site(), { from: span.from, to: new Date('never') })
    for (const fault of await Promise.all([backwards, endless].map((call: Promise<unknown>) => faultOf(call))))
      expect(fault.detail).toEqual({ kind: 'not-sent', reason: 'invalid-request' })
    expect(service.connections()).toBe(0)
  })
})
