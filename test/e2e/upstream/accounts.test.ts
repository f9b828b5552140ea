import { describe, expect, it } from 'vitest'
import { createSites } from '../../../src/upstream/client/sites.ts'
import { fixtureText } from '../../fixtures/upstream/read.ts'
import { clientOf, faultOf, fixed, site } from './open.ts'
import { answer } from './scripted-service.ts'

describe('getBalances', () => {
  it('asks for one currency', async () => {
    const { service, client } = await clientOf(fixed('balances'))
    expect(await client.getBalances(site(), 'USDC')).toMatchObject({ currency: 'USDC', available: '1000.5' })
    expect(service.requests[0]?.line).toBe('GET /api/v2/balances/detail?currency=USDC HTTP/1.1')
  })

  it('does not take the balance of another currency', async () => {
    const { client } = await clientOf(answer(200, fixtureText('balances').replace('{', '{ "currency": "jpy",')))
    expect((await faultOf(client.getBalances(site(), 'AUD'))).detail).toMatchObject({ reason: 'mismatch' })
  })
})

describe('getBalanceHistory', () => {
  const search = { from: new Date('2026-01-01T00:00:00.500Z'), to: new Date('2026-01-31T23:59:58.500Z'), page: 2 }

  it('asks for a span and a page, and reads the movements', async () => {
    const { service, client } = await clientOf(fixed('balance-history'))
    expect(await client.getBalanceHistory(site(), search)).toMatchObject({
      movements: [{ id: 'txn_5Gf81', amount: '125.5', fees: '1.25' }],
      totalPages: 1,
      totalCount: 1,
    })
    expect(service.requests[0]?.line).toBe(
      'GET /api/v1/balances/history?from_date=2026-01-01T00%3A00%3A00Z&to_date=2026-01-31T23%3A59%3A59Z&page=2 HTTP/1.1',
    )
  })

  it('leaves out what is in another currency, and what has no id or amount', async () => {
    const records = [{ id: 'a', amount: 1 }, { id: 'b', amount: 1, currency: 'JPY' }, { id: 'c' }, { amount: 1 }, null]
    const { client } = await clientOf(answer(200, JSON.stringify({ records })))
    const { movements } = await client.getBalanceHistory(site(), search)
    expect(movements.map(({ id }) => id)).toEqual(['a'])
  })

  it('is not asked of a site without AUD, nor backwards', async () => {
    const { service, client } = await clientOf(fixed('balance-history'))
    const jpy = { ...site(), currencies: ['JPY'] }
    const backwards = { ...search, to: new Date('2025-01-01T00:00:00Z') }
    for (const call of [client.getBalanceHistory(jpy, search), client.getBalanceHistory(site(), backwards)])
      expect((await faultOf(call)).detail).toMatchObject({ reason: 'invalid-request' })
    expect(service.connections()).toBe(0)
  })
})

describe('lookupBankByQr', () => {
  it('sends the payload, and reads the account', async () => {
    const { service, client } = await clientOf(fixed('bank-account'))
    expect(await client.lookupBankByQr(site(), '00020101021138')).toMatchObject({ accountNumber: '0011223344' })
    expect(service.requests[0]).toMatchObject({
      line: 'POST /api/v2/banks/lookup/qr_content HTTP/1.1',
      body: '{"qr_content":"00020101021138"}',
    })
  })
})

describe('lookupBankByImage', () => {
  const image = { type: 'image/png', bytes: Buffer.from('89504e470d0a1a0a', 'hex') } as const

  it('sends the picture to the assumed path, or to the one that the site names, and reads the account', async () => {
    const { service, client } = await clientOf(fixed('bank-account'), fixed('bank-account'))
    const [other = site()] = createSites([{ ...site(), paths: { lookupBankByImage: '/v2/banks/qr' } }]).all
    for (const at of [site(), other])
      expect(await client.lookupBankByImage(at, image)).toMatchObject({ accountNumber: '0011223344' })
    expect(service.requests.map(({ line }) => line)).toEqual([
      'POST /api/v2/banks/lookup/qr_image HTTP/1.1',
      'POST /api/v2/banks/qr HTTP/1.1',
    ])
  })
})

describe('simulateDeposit', () => {
  it('sends the amount as a text, and gives the answer as it came', async () => {
    const { service, client } = await clientOf(answer(200, '{"status":"ok"}'))
    const deposit = { accountNumber: '1234567', amount: '1000', remitterName: 'ﾔﾏﾀﾞ' }
    expect(await client.simulateDeposit(site('jpy'), deposit)).toEqual({ status: 'ok' })
    expect(service.requests[0]).toMatchObject({
      line: 'POST /api/v1/simulate_deposit HTTP/1.1',
      body: '{"account_number":"1234567","amount":"1000","remitter_name":"ﾔﾏﾀﾞ"}',
    })
  })
})
