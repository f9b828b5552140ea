import { expect, it } from 'vitest'
import type { Command } from '../../../src/domain/command.ts'
import type { PaymentReport } from '../../../src/domain/payments/payment-report.ts'
import type { RefundTerms } from '../../../src/store/port.ts'
import { StoreConflictError } from '../../../src/store/store-errors.ts'
import { dueReads, nextDue } from '../../support/due-reads.ts'
import {
  after,
  command,
  commandKey,
  delivery,
  events,
  linkOf,
  MINUTE,
  NOW,
  paymentOf,
  report,
  settledLink,
} from './builders.ts'
import type { Fixture } from './store-contract.ts'

export function refundsContract({ store }: Fixture): void {
  /** Begins a command that was sent a minute after `NOW`; returns its id. */
  async function begun(ref = 'r', paymentId = 'PAY1'): Promise<string> {
    return (await asked(ref, paymentId)).id
  }

  async function asked(ref: string, paymentId?: string, sentAt = after(MINUTE)): Promise<Command> {
    const expected = paymentId === undefined ? {} : { subject: { paymentId } }
    const fresh = command(ref, { mutation: 'refundPayment', refKind: null, sentAt: sentAt.getTime(), ...expected })
    return (await store.commands.begin(fresh)).command
  }

  const answered = after(2 * MINUTE)

  /** Records the answer to a command about a payment. */
  const record = (id: string, said: PaymentReport | null, about: { paymentId?: string; refund?: RefundTerms } = {}) =>
    store.commands.settleWithPayment(id, { paymentId: 'PAY1', report: said, at: answered, ...about })

  it('keeps the correlation id of a command without an address to itself, also of a second attempt', async () => {
    const { commands, inbox } = store
    const id = await begun()
    await commands.markUnknown(id)
    const attempt = { ref: 'r2', owner: 'process-1', leaseUntil: NOW.getTime(), sentAt: NOW.getTime() }
    expect(await commands.retry(id, attempt)).toBe(true)
    for (const ref of ['r', 'r2']) expect(await inbox.knowsRef(ref, ['link', 'payin', 'agreement'])).toBe(false)
  })

  it('tells the kinds of correlation ids apart', async () => {
    const { commands, inbox } = store
    await commands.begin(command('l'))
    await commands.begin(command('p', { refKind: 'payin' }))
    expect(await inbox.knowsRef('p', ['link', 'payin'])).toBe(true)
    expect(await inbox.knowsRef('p', ['link', 'agreement'])).toBe(false)
    expect(await inbox.knowsRef('l', ['link'])).toBe(true)
    expect(await inbox.knowsRef('l', [])).toBe(false)
  })

  it('records what the answer shows as an event of the command', async () => {
    await settledLink(store, 'a')
    await store.inbox.receive(delivery(report('received'), { ref: 'a' }))
    const id = await begun()
    const said = report('return_pending', { paymentId: 'LINK-a', details: { refunded: '0.00' } })
    const payment = await record(id, said)

    expect(payment).toMatchObject({ id: 'PAY1', statusRaw: 'return_pending', linkRef: 'a', provisional: false })
    expect(await paymentOf(store)).toEqual(payment)
    expect((await events(store)).at(-1)).toMatchObject({
      kind: 'PAYMENT_STATUS_CHANGED',
      source: 'COMMAND',
      fromStatus: 'received',
      toStatus: 'return_pending',
      recordedAt: answered.toISOString(),
    })
    expect((await linkOf(store, 'LINK-a')).paymentId).toBe('PAY1')
    const inPhase = (await store.links.page({ limit: 5, before: null }, { phases: ['REFUNDING'] })).rows
    expect(inPhase.map(({ row }) => row.ref)).toEqual(['a'])
    expect(await store.commands.find(commandKey('refundPayment', 'key-r'))).toMatchObject({
      state: 'SETTLED',
      result: { paymentId: 'PAY1' },
    })
    expect(await nextDue(store)).toBeNull()
  })

  const TERMS = { amount: '10', reason: 'Ada Payer has returned it' }

  it('adds the refund to the payment in the event of its answer, with its key and reason beside the log', async () => {
    await store.inbox.receive(delivery(report('received')))
    const id = await begun()
    const said = report('return_pending', { details: { refunded: '0.00' } })
    const payment = await record(id, said, { refund: TERMS })
    const refund = {
      number: 1,
      state: 'PENDING',
      amount: '10',
      requestedAt: after(MINUTE).toISOString(),
      settledAt: null,
      commandId: id,
      since: 2,
      version: 2,
    }
    expect(payment).toMatchObject({ version: 2, refunds: [refund] })
    expect(await paymentOf(store)).toEqual(payment)
    expect((await events(store)).map((event) => event.payment?.refunds)).toEqual([undefined, [refund]])
    expect(await store.payments.refundRequests([id, 'none'])).toEqual(
      new Map([[id, { commandId: id, paymentId: 'PAY1', idempotencyKey: 'key-r', reason: TERMS.reason }]]),
    )
    const again = await record(id, said, { refund: TERMS })
    expect(again).toEqual(payment)
    const last = after(3 * MINUTE)
    await store.inbox.receive(
      delivery(report('return_received', { details: { refunded: '10.00' } }), { receivedAt: last }),
    )
    expect((await paymentOf(store)).refunds).toEqual([
      { ...refund, state: 'SETTLED', settledAt: last.toISOString(), version: 3 },
    ])
  })

  it('keeps the request of a refund whose answer tells nothing, and joins it to what a webhook told before', async () => {
    for (const paymentId of ['P1', 'P2']) await store.inbox.receive(delivery(report('received', { paymentId })))
    const [silent, overtaken] = [await begun('s', 'P1'), await begun('o', 'P2')]
    const details = { refunded: '10.00' }
    await store.inbox.receive(delivery(report('return_pending', { paymentId: 'P2', details })))
    await store.inbox.receive(delivery(report('return_received', { paymentId: 'P2', details })))
    await record(silent, null, { paymentId: 'P1', refund: TERMS })
    const late = report('return_pending', { paymentId: 'P2', details })
    await record(overtaken, late, { paymentId: 'P2', refund: TERMS })
    expect(await paymentOf(store, 'P1')).toMatchObject({
      statusRaw: 'received',
      version: 2,
      refunds: [{ state: 'PENDING', amount: '10', commandId: silent }],
    })
    expect(await paymentOf(store, 'P2')).toMatchObject({
      statusRaw: 'return_received',
      refunds: [{ number: 1, state: 'SETTLED', amount: '10', commandId: overtaken, since: 2, version: 4 }],
    })
    expect(await nextDue(store)).toEqual(NOW)
  })

  it('leaves a read that a webhook asked for to be made', async () => {
    await store.inbox.receive(delivery(report('partially_refunded')))
    await record(await begun(), report('return_pending'))
    expect((await paymentOf(store)).statusRaw).toBe('return_pending')
    expect(await nextDue(store)).toEqual(NOW)
  })

  it('does not let an answer overwrite a newer webhook of a node whose clock is behind, or ahead', async () => {
    for (const [index, skew] of [-60 * MINUTE, 0, 60 * MINUTE].entries()) {
      const paymentId = `S${index}`
      const told = (status: string) => delivery(report(status, { paymentId }), { receivedAt: after(skew) })
      await store.inbox.receive(told('received'))
      const id = await begun(`s${index}`, paymentId)
      await store.inbox.receive(told('return_pending'))
      await store.inbox.receive(told('return_received'))
      const late = report('return_pending', { paymentId })
      await record(id, late, { paymentId })
      expect((await paymentOf(store, paymentId)).statusRaw).toBe('return_received')
    }
  })

  it('takes an answer that nothing has overtaken, whatever the clock of the node that took the webhook before', async () => {
    await store.inbox.receive(delivery(report('received'), { receivedAt: after(60 * MINUTE) }))
    const settled = await record(await begun(), report('return_pending'))
    expect(settled?.statusRaw).toBe('return_pending')
  })

  it('reads the payment now when the answer tells nothing', async () => {
    const silent = [null, report('return_pending', { paymentId: 'P9' }), report('pending')]
    for (const [index, said] of silent.entries()) {
      const paymentId = `P${index}`
      await store.inbox.receive(delivery(report('received', { paymentId })))
      const own = said?.paymentId === 'PAY1' ? { ...said, paymentId } : said
      const payment = await record(await begun(paymentId, paymentId), own, { paymentId })
      expect(payment).toMatchObject({ statusRaw: 'received', version: 1 })
    }
    expect(await store.payments.byIds(['P9'])).toEqual([])
    expect((await dueReads(store.reads, answered, 9)).map(({ paymentId }) => paymentId)).toEqual(['P0', 'P1', 'P2'])
    expect(await nextDue(store)).toEqual(answered)
  })

  it('reads the payment now when a webhook or a repeat has overtaken the answer', async () => {
    const refund = delivery(report('partially_refunded', { paymentId: 'P2' }))
    await store.inbox.receive(delivery(report('received')))
    await store.inbox.receive(refund)
    const [first, second] = [await begun('r1'), await begun('r2', 'P2')]
    await store.inbox.receive(delivery(report('return_received'), { receivedAt: after(1.5 * MINUTE) }))
    await store.inbox.receive({ ...refund, receivedAt: after(1.5 * MINUTE) })

    const said = report('return_pending')
    expect((await record(first, said))?.statusRaw).toBe('return_received')
    const late = await record(second, { ...said, paymentId: 'P2' }, { paymentId: 'P2' })
    expect(late?.statusRaw).toBe('partially_refunded')
    expect(await store.log.head()).toBe(3)
    expect(await dueReads(store.reads, answered, 9)).toHaveLength(2)
  })

  it('learns of a payment that was not on record, or ends the command without one', async () => {
    const said = report('return_pending')
    expect(await record(await begun('r1'), said)).toMatchObject({
      streamId: 'payment:PAY1',
      statusRaw: 'return_pending',
    })
    expect(await record(await begun('r2'), null, { paymentId: 'NONE' })).toBeNull()
    expect((await store.commands.find(commandKey('refundPayment', 'key-r2')))?.state).toBe('SETTLED')
  })

  it('changes nothing a second time, and refuses another payment', async () => {
    await store.inbox.receive(delivery(report('received')))
    const id = await begun()
    await record(id, report('return_pending'))
    const again = await record(id, report('return_received'))
    expect(again?.statusRaw).toBe('return_pending')
    await expect(record(id, null, { paymentId: 'P2' })).rejects.toThrow(StoreConflictError)
    expect(await nextDue(store)).toBeNull()
  })

  it('knows what a refund will have changed before it is settled, and loses it with nothing but a refusal', async () => {
    const { commands } = store
    const refund = await asked('r', 'PAY1')
    expect(refund).toMatchObject({ state: 'SENT', result: { paymentId: 'PAY1' } })
    await commands.markUnknown(refund.id)
    expect(await commands.find(commandKey('refundPayment', 'key-r'))).toMatchObject({
      state: 'UNKNOWN',
      result: refund.result,
    })
    await commands.reject(refund.id, { httpStatus: 422 })
    expect(await commands.find(commandKey('refundPayment', 'key-r'))).toMatchObject({ result: { httpStatus: 422 } })
  })

  it('tells whether another refund of the same payment may have had an effect since', async () => {
    const one = await asked('one', 'PAY1')
    await asked('of-another', 'PAY2')
    await store.commands.begin(command('no-refund', { subject: { paymentId: 'PAY1' } }))
    const hasRival = (since: Date) => store.commands.hasRival(one, since.getTime())
    expect(await hasRival(NOW)).toBe(false)

    const two = await asked('two', 'PAY1', after(2 * MINUTE))
    expect(await hasRival(after(3 * MINUTE))).toBe(true)
    await store.commands.markUnknown(two.id)
    expect(await hasRival(after(3 * MINUTE))).toBe(true)
    await record(two.id, null)
    expect(await hasRival(after(2 * MINUTE + 1))).toBe(false)
    expect(await hasRival(after(2 * MINUTE))).toBe(true)

    const three = await asked('three', 'PAY1', after(4 * MINUTE))
    await store.commands.reject(three.id, { httpStatus: 422 })
    expect(await hasRival(after(3 * MINUTE))).toBe(false)
  })

  it('ends a command with a plain result, once', async () => {
    const { commands } = store
    const id = await begun()
    const result = { payoutId: 'OUT-1', transactions: [{ id: 'T1', note: null }] }
    await commands.settle(id, result)
    await commands.settle(id, structuredClone(result))
    expect(await commands.find(commandKey('refundPayment', 'key-r'))).toMatchObject({ state: 'SETTLED', result })
    await expect(commands.settle(id, { payoutId: 'OUT-2' })).rejects.toThrow(StoreConflictError)
    await expect(commands.settle('no such command', result)).rejects.toThrow(StoreConflictError)
  })
}
