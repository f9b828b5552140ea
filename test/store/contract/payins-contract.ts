import { expect, it } from 'vitest'
import type { DirectPayin } from '../../../src/domain/payments/direct-payin.ts'
import type { PaymentReport } from '../../../src/domain/payments/payment-report.ts'
import type { NewCommand } from '../../../src/store/port.ts'
import { StoreConflictError } from '../../../src/store/store-errors.ts'
import { dueReads, nextDue } from '../../support/due-reads.ts'
import {
  after,
  command,
  commandKey,
  delivery,
  events,
  link,
  linkOf,
  MINUTE,
  NOW,
  payin,
  paymentOf,
  present,
  report,
  settledLink,
  pollAfter,
} from './builders.ts'
import type { Fixture } from './store-contract.ts'

export function payinsContract({ store }: Fixture): void {
  async function begun(ref = 'p', parts: Partial<NewCommand> = {}): Promise<string> {
    const asked = command(ref, { mutation: 'createPayin', refKind: 'payin', ...parts })
    return (await store.commands.begin(asked)).command.id
  }

  const unsaid = { amount: null, currency: null }

  const record = (id: string, made: DirectPayin, said: PaymentReport, at = NOW) =>
    store.commands.settleWithPayin(id, { payin: made, report: said, at })

  it('records the payin, its payment, the event and the result of the command at once', async () => {
    const id = await begun()
    const made = payin('p', { ownerId: 'owner-1' })
    const said = report('pending', { details: { ...unsaid, instructions: { bsb: '000-000' } } })
    const payment = await record(id, made, said, after(MINUTE))

    expect(payment).toMatchObject({
      streamId: 'payment:PAY1',
      linkRef: null,
      version: 1,
      details: { amount: '25.50', currency: 'AUD', instructions: { bsb: '000-000' } },
    })
    expect(await paymentOf(store)).toEqual(payment)
    expect(await store.payments.payins(['PAY1', 'NONE'])).toEqual([made])
    expect(await store.payments.payins([])).toEqual([])
    expect(await events(store)).toEqual([
      {
        id: 'payment:PAY1.1',
        streamId: 'payment:PAY1',
        sequence: 1,
        position: 1,
        kind: 'PAYMENT_STATUS_CHANGED',
        source: 'COMMAND',
        fromStatus: null,
        toStatus: 'pending',
        linkRef: null,
        payment,
        agreement: null,
        payout: null,
        gatewayPayment: null,
        recordedAt: after(MINUTE).toISOString(),
      },
    ])
    expect(await store.commands.find(commandKey('createPayin', 'key-p'))).toMatchObject({
      state: 'SETTLED',
      result: { paymentId: 'PAY1' },
    })
    expect(await nextDue(store)).toSatisfy(pollAfter(after(MINUTE)))
  })

  it('changes nothing when it is settled a second time', async () => {
    const id = await begun()
    const first = await record(id, payin('p'), report('pending'))
    expect(await record(id, payin('p'), report('received'), after(MINUTE))).toEqual(first)
    expect(await store.log.head()).toBe(1)
  })

  it('only fills in what the webhooks that overtook the answer left out', async () => {
    const id = await begun()
    const received = report('received', {
      details: { ...unsaid, paid: '25.50' },
      payer: { name: null, email: 'new@example.org' },
    })
    await store.inbox.receive(delivery(received, { ref: 'p' }))
    const answer = report('pending', {
      details: { amount: '25.50', paid: '0', threeDsUrl: 'https://3ds.example', instructions: { code: '1' } },
      payer: { name: 'Ada', email: 'old@example.org' },
    })
    await record(id, payin('p'), answer, after(MINUTE))

    expect(await paymentOf(store)).toMatchObject({
      statusRaw: 'received',
      version: 2,
      streamId: 'payment:PAY1',
      details: { amount: '25.50', currency: 'AUD', paid: '25.50', threeDsUrl: null, instructions: { code: '1' } },
    })
    expect((await events(store)).map(({ kind, source, toStatus }) => [kind, source, toStatus])).toEqual([
      ['PAYMENT_STATUS_CHANGED', 'WEBHOOK', 'received'],
      ['PAYMENT_DETAILS_CHANGED', 'COMMAND', 'received'],
    ])
    expect((await store.payments.payers(['PAY1'])).get('PAY1')).toEqual({ name: 'Ada', email: 'new@example.org' })
  })

  it('records no event when webhooks have told everything, and knows the amount that was asked for', async () => {
    const id = await begun()
    await store.inbox.receive(delivery(report('received', { details: unsaid }), { ref: 'p' }))
    await record(id, payin('p'), report('pending', { details: unsaid }))
    expect(await paymentOf(store)).toMatchObject({ statusRaw: 'received', version: 1, details: { amount: '25.50' } })
    expect(await store.log.head()).toBe(1)
  })

  it('lets an answer lead forward, and reads what it does not understand or what contradicts it', async () => {
    const settle = async (paymentId: string, webhook: string, answer: ReturnType<typeof report>) => {
      const id = await begun(paymentId)
      await store.inbox.receive(delivery(report(webhook, { paymentId }), { ref: paymentId }))
      await record(id, payin(paymentId, { paymentId }), answer, after(MINUTE))
      return paymentOf(store, paymentId)
    }
    expect((await settle('P1', 'pending', report('received', { paymentId: 'P1' }))).statusRaw).toBe('received')
    expect((await settle('P2', 'received', report('quite_new', { paymentId: 'P2' }))).statusRaw).toBe('received')
    expect(await nextDue(store)).toBeNull()
    const otherCurrency = report('pending', { paymentId: 'P3', details: { currency: 'USD' } })
    expect(await settle('P3', 'pending', otherCurrency)).toMatchObject({
      provisional: true,
      details: { currency: 'AUD' },
    })
    expect(await nextDue(store)).toEqual(after(MINUTE))
  })

  it('never takes a webhook at the address of a payin for one of a link', async () => {
    await settledLink(store, 'a')
    const id = await begun()
    const namesLink = report('pending', { linkId: 'LINK-a', details: unsaid })
    await store.inbox.receive(delivery(namesLink, { ref: 'p' }))
    expect(await paymentOf(store)).toMatchObject({ linkRef: null, streamId: 'payment:PAY1', details: { amount: null } })
    await record(id, payin('p'), report('pending', { linkId: 'LINK-a' }))
    for (const ref of ['p', null])
      await store.inbox.receive(
        delivery(report(ref === null ? 'received' : 'authorised', { linkId: 'LINK-a' }), { ref }),
      )
    expect(await paymentOf(store)).toMatchObject({ linkRef: null, statusRaw: 'received' })
    expect((await linkOf(store, 'LINK-a')).paymentId).toBeNull()
    await settledLink(store, 'b', { id: 'LINK-b' })
    expect((await paymentOf(store)).linkRef).toBeNull()
  })

  it("quarantines another payment at a payin's address, and the payin's payment at another address", async () => {
    await settledLink(store, 'a')
    const id = await begun()
    await begun('q')
    await store.commands.begin(command('agr', { key: 'client-1', refKind: 'agreement' }))
    await store.inbox.receive(delivery(report('pending', { paymentId: 'LINKED' }), { ref: 'a' }))
    await record(id, payin('p'), report('pending'))
    const wrong = [
      delivery(report('received', { paymentId: 'PAY2' }), { ref: 'p' }),
      delivery(report('received'), { ref: 'a', bytes: '1' }),
      delivery(report('received'), { ref: 'q', bytes: '2' }),
      delivery(report('received', { paymentId: 'LINKED' }), { ref: 'q' }),
      delivery(report('received', { paymentId: 'PAY3' }), { ref: 'agr' }),
    ]
    for (const each of wrong) expect((await store.inbox.receive(each)).disposition).toBe('QUARANTINED')
    expect((await store.inbox.receive(delivery(report('received'), { ref: 'p' }))).disposition).toBe('APPLIED')
    expect((await events(store)).map(({ toStatus }) => toStatus)).toEqual([null, 'pending', 'pending', 'received'])
  })

  it('takes what comes to the address of an earlier attempt of the same command', async () => {
    const id = await begun()
    await store.commands.markUnknown(id)
    const attempt = { ref: 'p2', owner: 'process-1', leaseUntil: NOW.getTime(), sentAt: NOW.getTime() }
    expect(await store.commands.retry(id, attempt)).toBe(true)
    await record(id, payin('p2'), report('pending'))
    expect((await store.inbox.receive(delivery(report('received'), { ref: 'p' }))).disposition).toBe('APPLIED')
  })

  it('refuses what belongs to something else already', async () => {
    await settledLink(store, 'a')
    await store.inbox.receive(delivery(report('pending', { paymentId: 'LINKED' }), { ref: 'a' }))
    await record(await begun(), payin('p'), report('pending'))
    const second = await begun('q')
    const settle = (parts: Parameters<typeof payin>[1], paymentId = 'PAY1', ref = 'q') =>
      record(second, payin(ref, parts), report('pending', { paymentId }))

    await expect(settle({})).rejects.toThrow(StoreConflictError)
    await expect(settle({ paymentId: 'LINKED' }, 'LINKED')).rejects.toThrow('through a link')
    await expect(settle({ paymentId: 'PAY2' }, 'PAY3')).rejects.toThrow('another payment')
    await expect(settle({ paymentId: 'PAY2' }, 'PAY2', 'p')).rejects.toThrow('correlation id')
    await expect(store.commands.settleWithLink(second, link('a'), NOW)).rejects.toThrow(StoreConflictError)
    expect((await store.commands.find(commandKey('createPayin', 'key-q')))?.state).toBe('SENT')
    expect(await store.payments.byIds(['PAY2', 'PAY3'])).toEqual([])
  })

  it("finds payments by the payin's reference, and tells the payin to those who read", async () => {
    const made = payin('p', { reference: 'order-1', site: 'nz' })
    await record(await begun(), made, report('failed', { details: unsaid }))
    const page = (await store.payments.page({ limit: 5, before: null }, { reference: 'order-1' })).rows
    expect(page.map(({ row }) => row.id)).toEqual(['PAY1'])

    expect(present(await store.reads.subject('PAY1'))).toMatchObject({ payin: made, link: null })
    expect(await dueReads(store.reads, NOW, 5)).toMatchObject([{ paymentId: 'PAY1', payin: made }])
    const subject = present(await store.reads.subject('PAY1'))
    expect(await store.reads.record(subject, report('received', { details: unsaid }), NOW, null)).toBe('changed')
    expect((await paymentOf(store)).details.amount).toBe('25.50')
  })
}
