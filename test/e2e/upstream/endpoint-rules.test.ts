import { expect, it } from 'vitest'
import { createSites } from '../../../src/upstream/client/sites.ts'
import type { UpstreamClient } from '../../../src/upstream/upstream-client.ts'
import { fixtureText } from '../../fixtures/upstream/read.ts'
import { clientOf, faultOf, json, site } from './open.ts'
import { AGREEMENT, CHECK, DOCUMENT, LINK, PAYEE, PAYIN, PAYOUT, PERSON, pictures } from './requests.ts'
import { answer } from './scripted-service.ts'

type Call = (client: UpstreamClient) => Promise<unknown>

const [aud, jpy] = [site(), site('jpy')]
const span = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2026-01-31T00:00:00Z') }
const backwards = { from: span.to, to: span.from }

it.each<[name: string, call: Call]>([
  ['the history of a site without AUD', (client) => client.getBalanceHistory(jpy, { ...span, page: 1 })],
  ['a history backwards', (client) => client.getBalanceHistory(aud, { ...backwards, page: 1 })],
  ['an agreement in another currency', (client) => client.createPaymentAgreement(jpy, AGREEMENT)],
  ['a wrong agreement', (client) => client.createPaymentAgreement(aud, { ...AGREEMENT, payer: { name: 'Jo-Ann' } })],
  ['a search backwards', (client) => client.searchAgreements(aud, backwards)],
  ['a search without end', (client) => client.searchAgreements(aud, { ...span, to: new Date('never') })],
  [
    'a wrong customer',
    (client) => client.createCustomer(aud, { person: { ...PERSON, dateOfBirth: 'Jo' }, document: DOCUMENT }),
  ],
  [
    'an identity check with a line break',
    (client) => client.submitIdentityCheck(aud, { ...CHECK, nameInDocument: 'Jo\r\nPAYER', pictures: pictures() }),
  ],
  [
    'a link in another currency',
    (client) => client.createPayinLink(aud, { ...LINK, amount: { value: '100', currency: 'JPY' } }),
  ],
  ['a wrong link', (client) => client.createPayinLink(aud, { ...LINK, amount: { value: '1e3', currency: 'AUD' } })],
  ['a payin in another currency', (client) => client.createPayin(jpy, PAYIN)],
  ['a payout in another currency', (client) => client.createPayout(jpy, PAYOUT)],
  [
    'a wrong payee',
    (client) => client.createPayout(aud, { ...PAYOUT, transactions: [{ ...PAYEE, lastName: 'O’Jo' }] }),
  ],
  ...['../../v1/payment_gateways/access_token', 'a/b', 'a?b', 'a&b', '', 'x'.repeat(65), '.'].flatMap(
    (uuid): [string, Call][] => [
      [`the link ${uuid}`, (client) => client.getPayinLink(aud, uuid)],
      [`the payin ${uuid}`, (client) => client.getPayin(aud, uuid)],
    ],
  ),
])('%s is not sent, and the fault tells no personal data', async (_name, call) => {
  const { service, client } = await clientOf(json({}))
  const fault = await faultOf(call(client))
  expect(fault.detail).toEqual({ kind: 'not-sent', reason: 'invalid-request' })
  expect(fault.message).not.toMatch(/Jo|Bearer|1e3/)
  expect(service.connections()).toBe(0)
})

it.each<[name: string, standard: string, call: (client: UpstreamClient, at: typeof aud) => Promise<unknown>]>([
  ['cancelPayin', 'POST /api/v2/payins/cancel HTTP/1.1', (client, at) => client.cancelPayin(at, 'VMMAOTFQ')],
  [
    'lookupBankByImage',
    'POST /api/v2/banks/lookup/qr_image HTTP/1.1',
    (client, at) => client.lookupBankByImage(at, { type: 'image/png', bytes: Buffer.from('89504e47', 'hex') }),
  ],
])('%s goes to the assumed path, or to the one that the site names', async (name, standard, call) => {
  const { service, client } = await clientOf(
    json({ status: 'ok', ...(JSON.parse(fixtureText('bank-account')) as object) }),
  )
  const [other = aud] = createSites([{ ...aud, paths: { [name]: '/v2/else' } }]).all
  for (const at of [aud, other]) await call(client, at)
  expect(service.requests.map(({ line }) => line)).toEqual([standard, 'POST /api/v2/else HTTP/1.1'])
})

it('pictures that end with an error are cut off before their end', async () => {
  const { service, client } = await clientOf(json({ status: 'Ok' }))
  const failed = client.submitIdentityCheck(aud, { ...CHECK, pictures: pictures(true) })
  await expect(failed).rejects.toThrow('The client hung up.')
  expect(service.requests).toEqual([])
})

it.each([
  ['Tue, 15 Nov 1994 08:12:31 GMT', '1994-11-15T08:12:31.000Z'],
  ['yesterday', null],
  ['', null],
])('the clock of the payments API is read from the date of its answer: %s', async (date, expected) => {
  const { client } = await clientOf(
    answer(200, '{"uuid":"7AMCEF7H","payment_url":"https://checkout.test/x"}', { date }),
  )
  const { answeredAt } = await client.createPayinLink(aud, LINK)
  expect(answeredAt?.toISOString() ?? null).toBe(expected)
})

it.each([
  [{ next_page: null, page: 3 }, 3, null],
  [{ next_page: 1, page: 3 }, 3, null],
  [{}, 1, null],
  [{ next_page: '4', page: '3' }, 3, 4],
])('a page of agreements is told apart in %o', async (envelope, page, nextPage) => {
  const { client } = await clientOf(json({ ...envelope, records: [] }))
  expect(await client.searchAgreements(aud, span)).toMatchObject({ entries: [], page, nextPage })
})
