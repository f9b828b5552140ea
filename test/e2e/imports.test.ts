import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createAgreement } from '../support/agreements.ts'
import { erase, payerOf } from '../support/erasures.ts'
import {
  agreementElsewhere,
  AT_REST,
  eventsOf,
  importAll,
  importOf,
  importsOf,
  lastHour,
  linkElsewhere,
  paidElsewhere,
  payinElsewhere,
  payoutElsewhere,
  refresh,
  reportOf,
  tryToImport,
} from '../support/imports.ts'
import { amendmentInput, payoutInput } from '../support/inputs.ts'
import { made, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { createPayin, readPayment } from '../support/payins.ts'
import { historyOf } from '../support/payments.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: AT_REST })))
afterAll(() => network.close())

/** Imports, and waits until it is done and what differed is read back. */
async function imported(input: Record<string, unknown> = {}) {
  const done = await importAll(network, expect.poll, input)
  await network.app.settle()
  return done
}

describe('importPayments', () => {
  it('records what was made elsewhere or missed, once', async () => {
    const { paymentId } = await paidElsewhere(network)
    const unused = await linkElsewhere(network)
    const payinId = await payinElsewhere(network)
    await network.sandbox.control.setStatus(payinId, 'received')
    const agreementId = await agreementElsewhere(network)
    const payoutId = await payoutElsewhere(network)
    const missed = await createLink(network)
    await network.sandbox.control.setStatus(missed.id, 'received', { silent: true })
    const kept = await createPayin(network)
    await network.app.settle()

    const first = await imported()
    expect(first).toMatchObject({ dryRun: false, daily: false, progress: 100, requestedBy: 'reconciler-1' })
    const links = reportOf(first, 'aud', 'LINKS')
    expect(links.addedIds).toContain(paymentId)
    expect(links.addedIds).not.toContain(unused)
    expect(links.passedOver).toBeGreaterThanOrEqual(1)
    expect(reportOf(first, 'krw', 'PAYINS').addedIds).toContain(payinId)
    expect(reportOf(first, 'krw', 'PAYINS').addedIds).not.toContain(kept.id)
    expect(reportOf(first, 'aud', 'AGREEMENTS').addedIds).toContain(agreementId)
    expect(reportOf(first, 'aud', 'PAYOUTS').addedIds).toContain(payoutId)

    expect(await readPayment(network, paymentId)).toMatchObject({ status: 'RECEIVED' })
    expect(await readPayment(network, unused)).toBeNull()
    expect(await eventsOf(network, payinId)).toEqual([{ source: 'READ', toStatus: 'received' }])
    const { payment } = await historyOf(network, missed.id)
    expect(payment?.status).toBe('RECEIVED')
    expect(links.addedIds).toContain(payment?.id)
    const query = `query Both($agreement: ID!, $payout: ID!) {
      paymentAgreement(id: $agreement) { id status } payout(id: $payout) { id status site }
    }`
    const { data } = await network.ask(query, { agreement: agreementId, payout: payoutId })
    expect(data).toMatchObject({ paymentAgreement: { id: agreementId }, payout: { id: payoutId } })

    const head = await newestEvent()
    const second = await imported()
    for (const report of second.lists) {
      expect(report).toMatchObject({ added: 0, differed: 0, addedIds: [], differedIds: [], absent: 0, problem: null })
      expect(report.listed).toBe(report.equal + report.passedOver)
    }
    expect(await newestEvent()).toEqual(head)
  })

  it('reads back what differs', async () => {
    const link = await createLink(network)
    await network.sandbox.control.setStatus(link.id, 'authorised')
    const payout = await made(mutate(network, 'createPayout', payoutInput()), 'payout')
    const agreement = await createAgreement(network)
    await network.app.settle()
    const { payment } = await historyOf(network, link.id)
    await network.sandbox.control.setStatus(link.id, 'received', { silent: true })
    await network.sandbox.control.setPayoutStatus(payout.id, 'completed', { silent: true })
    await network.sandbox.control.setAgreementStatus(agreement.id, 'active', { silent: true })

    const done = await imported()
    expect(reportOf(done, 'aud', 'LINKS').differedIds).toContain(payment?.id)
    expect(reportOf(done, 'aud', 'PAYOUTS').differedIds).toContain(payout.id)
    expect(reportOf(done, 'aud', 'AGREEMENTS').differedIds).toContain(agreement.id)
    expect((await historyOf(network, link.id)).payment?.status).toBe('RECEIVED')
    const query = `query Both($agreement: ID!, $payout: ID!) {
      paymentAgreement(id: $agreement) { status } payout(id: $payout) { status }
    }`
    expect((await network.ask(query, { agreement: agreement.id, payout: payout.id })).data).toMatchObject({
      paymentAgreement: { status: 'ACTIVE' },
      payout: { status: 'COMPLETED' },
    })
  })

  it('only compares in a dry run', async () => {
    const id = await payinElsewhere(network)
    const link = await createLink(network)
    await network.sandbox.control.setStatus(link.id, 'authorised')
    await network.app.settle()
    const { payment } = await historyOf(network, link.id)
    await network.sandbox.control.setStatus(link.id, 'received', { silent: true })
    const head = await newestEvent()
    const done = await imported({ dryRun: true })
    expect(reportOf(done, 'krw', 'PAYINS')).toMatchObject({ added: 1, addedIds: [id] })
    expect(reportOf(done, 'aud', 'LINKS')).toMatchObject({ differed: 1, differedIds: [payment?.id] })
    expect(await readPayment(network, id)).toBeNull()
    expect(await newestEvent()).toEqual(head)
    expect(
      done.totals.find(({ site, kind, currency }) => site === null && kind === 'PAYMENTS' && currency === 'KRW'),
    ).toMatchObject({ difference: { count: 1, amount: '25000.0', paid: '0.0' } })
    expect((await imported()).lists.reduce((sum, { added }) => sum + added, 0)).toBe(1)
  })

  it('does not bring an erased payer back', async () => {
    const email = 'erased.elsewhere@example.test'
    const id = await payinElsewhere(network, { email })
    expect(await erase(network, 'EMAIL', email)).toMatchObject({ state: 'DONE' })
    const later = await payinElsewhere(network, { email })
    await imported()
    expect(await readPayment(network, id)).not.toBeNull()
    expect(await payerOf(network, id)).toBeNull()
    // The payment after the erasure is another matter between the merchant and the payer.
    expect(await payerOf(network, later)).toMatchObject({ email })
    expect(await refresh(network, id)).toMatchObject({ payment: { id } })
    expect(await payerOf(network, id)).toBeNull()
  })

  it('gives what was made elsewhere no owner, and shows its payer with payments:pii only', async () => {
    const id = await payinElsewhere(network)
    await imported()
    const subject = { subject: 'Mary Elsewhere' }
    expect(await readPayment(network, id, { token: await network.token({ ...subject, scopes: [] }) })).toBeNull()
    const query = 'query Payer($id: ID!) { payment(id: $id) { id payer { email } } }'
    const ask = async (scopes: readonly ('payments:read' | 'payments:pii')[]) =>
      network.ask(query, { id }, { token: await network.token({ scopes }) })
    expect((await ask(['payments:read'])).errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN' })
    expect((await ask(['payments:read', 'payments:pii'])).data).toMatchObject({
      payment: { payer: { email: 'mary@example.test' } },
    })
  })

  it('hears of an agreement that was made elsewhere once it is amended here', async () => {
    const id = await agreementElsewhere(network)
    await network.sandbox.control.setAgreementStatus(id, 'active')
    await imported()
    const amended = await made(mutate(network, 'amendPaymentAgreement', amendmentInput(id)), 'agreement')
    expect(amended).toMatchObject({ id, limit: { value: '300.00' } })
    await network.sandbox.control.setAgreementStatus(id, 'suspended')
    await network.app.settle()
    const query = `query Events($id: ID!) { paymentAgreement(id: $id) { status events(first: 9) { nodes { source } } } }`
    expect((await network.ask(query, { id })).data).toMatchObject({
      paymentAgreement: {
        status: 'SUSPENDED',
        events: { nodes: [{ source: 'READ' }, { source: 'COMMAND' }, { source: 'WEBHOOK' }] },
      },
    })
  })

  it('tells what is on record here and not in the lists', async () => {
    let ahead = 0
    const apart = await startNetwork({ sandbox: AT_REST, clock: () => new Date(Date.now() + ahead) })
    onTestFinished(() => apart.close())
    const compared = () => importAll(apart, expect.poll, { dryRun: true })
    const paid = await createLink(apart)
    await apart.sandbox.control.setStatus(paid.id, 'received')
    const payin = await createPayin(apart)
    const payout = await made(mutate(apart, 'createPayout', payoutInput()), 'payout')
    const answer = { status: 200, body: { records: [], page: 1, per_page: 20, total: 0 } }
    const empty = () => {
      for (const path of ['/v3/payin_links', '/v2/payins/all', '/v2/payouts/all'])
        apart.sandbox.control.addFault({ method: 'GET', path, times: 2, answer })
    }
    // What was created within a minute of the end is not missed.
    empty()
    expect((await compared()).lists.every(({ absent }) => absent === 0)).toBe(true)
    ahead = 600_000
    apart.sandbox.control.clearFaults()
    expect((await compared()).lists.every(({ absent }) => absent === 0)).toBe(true)

    empty()
    const done = await compared()
    expect(reportOf(done, 'aud', 'LINKS').absentIds).toEqual([paid.id])
    expect(reportOf(done, 'krw', 'PAYINS').absentIds).toEqual([payin.id])
    expect(reportOf(done, 'aud', 'PAYOUTS').absentIds).toEqual([payout.id])
    expect(done.totals.filter(({ site }) => site === null)).toMatchObject([
      { kind: 'PAYMENTS', currency: 'AUD', theirs: { count: 0, amount: '0' }, ours: { count: 1, amount: '125.5' } },
      { kind: 'PAYMENTS', currency: 'KRW', difference: { count: -1, amount: '-25000.0', paid: '0.0' } },
      { kind: 'PAYOUTS', currency: 'AUD', difference: { count: -1, paid: '0' } },
    ])
  })

  it('gives up a list that is refused, and goes on with the others', async () => {
    const id = await payinElsewhere(network)
    const answer = { status: 422, body: { errors: { message: 'no' } } }
    network.sandbox.control.addFault({ method: 'GET', path: '/v2/payouts/all', times: 2, answer })
    const done = await imported()
    for (const site of ['aud', 'krw'])
      expect(reportOf(done, site, 'PAYOUTS')).toMatchObject({ problem: 'REFUSED', listed: 0 })
    expect(reportOf(done, 'krw', 'PAYINS').addedIds).toContain(id)
  })

  it('reads unpaid links whose payer was erased', async () => {
    const customer = { firstName: 'Ada', lastName: 'Payer', email: 'erased@example.test' }
    for (let count = 0; count < 3; count += 1) await createLink(network, { customer })
    await erase(network, 'EMAIL', customer.email)
    expect(reportOf(await imported(), 'aud', 'LINKS')).toMatchObject({ problem: null, failed: 0 })
  })

  it('goes on with the others while one cannot be recorded', async () => {
    const database = new DatabaseSync(join(network.folder, 'payments.db'))
    onTestFinished(() => database.close())
    const input = { from: '2026-01-01T00:00:00Z', to: '2026-01-03T00:00:00Z', dryRun: true }
    const refused = `CREATE TRIGGER refused BEFORE UPDATE ON payment_imports
      WHEN NEW.from_at = ${Date.parse(input.from)} BEGIN SELECT RAISE(ABORT, 'no'); END`
    database.exec(refused)
    const begun = await tryToImport(network, input)
    await imported({ dryRun: true })
    expect(await importOf(network, begun.import?.id ?? '')).toMatchObject({ state: 'RUNNING', progress: 0 })
    database.exec('DROP TRIGGER refused')
    await expect.poll(() => importOf(network, begun.import?.id ?? '')).toMatchObject({ state: 'DONE' })
  })

  it('reads the lists of the named sites alone', async () => {
    const done = await imported({ dryRun: true, sites: ['krw'] })
    expect(done.lists.map(({ site, list }) => `${site} ${list}`)).toEqual(['krw LINKS', 'krw PAYINS', 'krw PAYOUTS'])
  })

  it('does not wait for a site whose credentials are refused', async () => {
    const answer = { status: 401, body: { errors: { code: 'REQUIRE_LOGIN' } } }
    network.sandbox.control.addFault({ method: 'GET', path: '/v1/pay_to/payment_agreement/search', times: 1, answer })
    const done = await imported({ dryRun: true })
    expect(done.lists.filter(({ problem }) => problem !== null)).toMatchObject([
      { site: 'aud', list: 'AGREEMENTS', problem: 'CREDENTIALS_REJECTED' },
      { site: 'aud', list: 'PAYOUTS', problem: 'CREDENTIALS_REJECTED' },
    ])
    // An accepted request shows that they are right again.
    expect(await refresh(network, await payinElsewhere(network))).toMatchObject({ changed: true })
  })

  it('tries again after an answer that cannot be used, and gives the list up at last', async () => {
    const answer = { status: 200, body: { pages: 'none' } }
    network.sandbox.control.addFault({ method: 'GET', path: '/v2/payins/all', times: 1, answer })
    expect((await imported({ dryRun: true })).lists.map(({ problem }) => problem)).toEqual(Array(7).fill(null))
    network.sandbox.control.addFault({ method: 'GET', path: '/v2/payins/all', times: 3, answer })
    expect(reportOf(await imported({ dryRun: true, sites: ['aud'] }), 'aud', 'PAYINS').problem).toBe('UNREADABLE')
  })

  it.each([
    [
      'from',
      { from: new Date(Date.now() + 3_600_000).toISOString(), to: new Date(Date.now() + 7_200_000).toISOString() },
    ],
    ['to', { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }],
    ['sites', { ...lastHour(), sites: ['aud', 'nowhere'] }],
    ['to', { from: '2010-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }],
  ])('refuses a wrong %s', async (field, input) => {
    expect(await tryToImport(network, input)).toMatchObject({
      __typename: 'PaymentsInvalidInputError',
      problems: [{ path: [field] }],
    })
  })

  it('finds the running import on a repeat', async () => {
    const hold = { status: 429, headers: { 'retry-after': '2' }, body: {} }
    network.sandbox.control.addFault({ method: 'GET', path: '/v3/payin_links', times: 1, answer: hold })
    const input = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', dryRun: true }
    const begun = await tryToImport(network, input)
    const again = await tryToImport(network, input)
    expect(again).toMatchObject({ replayed: true, import: { id: begun.import?.id } })
    await expect.poll(() => importOf(network, begun.import?.id ?? '')).toMatchObject({ state: 'DONE' })
    expect((await importsOf(network, { first: 1 })).nodes[0]?.id).toBe(begun.import?.id)
  })

  it('lists imports by pages, newest first', async () => {
    const first = await imported({ dryRun: true })
    const second = await imported({ dryRun: true })
    const page = await importsOf(network, { first: 1, daily: false })
    expect(page).toMatchObject({ nodes: [{ id: second.id, daily: false }], pageInfo: { hasNextPage: true } })
    expect((await importsOf(network, { first: 1, after: page.pageInfo.endCursor })).nodes[0]?.id).toBe(first.id)
    expect(await importOf(network, '987654')).toBeNull()
    expect(await importOf(network, 'nothing')).toBeNull()
  })
})

async function newestEvent() {
  const query = '{ paymentEvents(last: 1) { nodes { id } } }'
  return (await network.ask(query)).data
}
