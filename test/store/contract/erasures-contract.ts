import { expect, it } from 'vitest'
import type { Store } from '../../../src/ledger/store.ts'
import type { ErasureKind, PayerErasure } from '../../../src/store/port.ts'
import { payoutReport } from '../../unit/domain/payouts.ts'
import {
  after,
  agreementCommand,
  agreementReport,
  callback,
  command,
  delivery,
  NO_AGREEMENT_PAYER,
  NOW,
  payin,
  payoutCallback,
  present,
  report,
  settledAgreement,
  settledLink,
  settledPayout,
} from './builders.ts'
import type { Fixture } from './store-contract.ts'

const ADA = { name: 'Ada Payer', email: 'Ada@Example.test' }
const BOB = { name: 'Bob Payer', email: 'bob@example.test' }

/** Tests how payers are erased. */
export function erasuresContract(fixture: Fixture): void {
  const { store } = fixture
  const begin = (kind: ErasureKind, value: string, on: Store = store) =>
    on.erasures.begin({ kind, value, valueHash: `hash of ${kind}`, requestedBy: 'operator-1', requestedAt: NOW })

  const pay = (paymentId: string, payer: typeof ADA, ref: string | null = null, status = 'received') =>
    store.inbox.receive(delivery(report(status, { paymentId, payer }), { ref, bytes: `${paymentId} ${status}` }))

  const payMany = (count: number) => Promise.all(Array.from({ length: count }, (_, index) => pay(`P${index}`, ADA)))

  /** Runs an erasure to its end. Returns its record, and the number of its transactions. */
  const finish = async ({ number }: PayerErasure) => {
    for (let steps = 1; ; steps += 1) {
      const erasure = present(await store.erasures.step(number, after(1000)))
      if (erasure.doneAt !== null) return { erasure, steps }
    }
  }
  const erase = async (kind: ErasureKind, value: string) => (await finish(await begin(kind, value))).erasure
  /** Erases what was not erased before: as much as was counted. */
  const eraseCounted = async (kind: ErasureKind, value: string) => {
    const found = await store.erasures.count({ kind, value })
    const erasure = await erase(kind, value)
    expect(erasure).toMatchObject(found)
    return erasure
  }

  const payers = async (...ids: string[]) => Object.fromEntries(await store.payments.payers(ids))

  it('erases the payer of a payment, and of no other', async () => {
    await pay('P1', ADA)
    await pay('P2', ADA)
    const begun = await begin('PAYMENT', 'P1')
    expect(begun).toEqual({
      number: begun.number,
      kind: 'PAYMENT',
      valueHash: 'hash of PAYMENT',
      requestedBy: 'operator-1',
      requestedAt: NOW.toISOString(),
      payments: 0,
      agreements: 0,
      payouts: 0,
      payers: 0,
      doneAt: null,
    })
    expect(await store.erasures.running()).toEqual([begun.number])
    const { erasure } = await finish(begun)
    expect(erasure).toEqual({ ...begun, payments: 1, payers: 1, doneAt: after(1000).toISOString() })
    expect(await payers('P1', 'P2')).toEqual({ P2: ADA })
    expect(await store.erasures.running()).toEqual([])
    expect(await store.payments.byIds(['P1'])).toMatchObject([{ statusRaw: 'received' }])
  })

  it('erases the payees of a payout, all of them, also those that are reported later', async () => {
    const payee = (transactionId: string) => ({
      transactionId,
      name: 'Ada',
      accountNumberMasked: '***890',
      payIdMasked: null,
      bankCode: '600',
    })
    const payees = [payee('T1'), payee('T2')]
    await settledPayout(store, 'out', { payees })
    await settledPayout(store, 'b', { id: 'OUT2', payees })
    expect(await erase('PAYOUT', 'OUT1')).toMatchObject({ payouts: 1, payments: 0, agreements: 0, payers: 2 })
    await store.inbox.receivePayout(payoutCallback(payoutReport('processing', { payees })))
    expect(await store.payouts.payees(['OUT1', 'OUT2'])).toEqual(new Map([['OUT2', payees]]))
    expect(await store.payouts.byIds(['OUT1'])).toMatchObject([{ status: 'processing' }])
    expect(await erase('PAYOUT', 'OUT1')).toMatchObject({ payouts: 0, payers: 0 })
  })

  it('drops what is reported later of an erased payer, by a webhook, by a read, and after a restart', async () => {
    await pay('P1', ADA, null, 'pending')
    await erase('PAYMENT', 'P1')
    await pay('P1', ADA)
    expect(await payers('P1')).toEqual({})
    fixture.current = await fixture.opened.reopen()
    const subject = present(await store.reads.subject('P1'))
    const read = report('return_pending', { paymentId: 'P1', payer: BOB })
    expect(await store.reads.record(subject, read, after(2000), null)).toBe('changed')
    expect(await payers('P1')).toEqual({})
  })

  it('erases payers that are not on record yet', async () => {
    await pay('P1', { name: null, email: null } as never)
    expect(await erase('PAYMENT', 'P1')).toMatchObject({ payments: 1, payers: 0 })
    await pay('P1', ADA, null, 'return_pending')
    expect(await payers('P1')).toEqual({})
  })

  it('counts what an earlier erasure has erased once', async () => {
    await pay('P1', ADA)
    await erase('PAYMENT', 'P1')
    expect(await erase('PAYMENT', 'P1')).toMatchObject({ payments: 0, payers: 0 })
  })

  it('erases the reasons of refunds with the payer of their payment, and stores none afterwards', async () => {
    const { commands, payments } = store
    const refund = async (paymentId: string, ref: string) => {
      const asked = command(ref, { mutation: 'refundPayment', refKind: null, subject: { paymentId } })
      const { id } = (await commands.begin(asked)).command
      const reason = `${paymentId} is returned by Ada Payer`
      await commands.settleWithPayment(id, { paymentId, refund: { amount: '1', reason }, report: null, at: after(1) })
      return id
    }
    await pay('P1', ADA)
    await pay('P2', ADA)
    const [first, other] = [await refund('P1', 'r1'), await refund('P2', 'r2')]
    await erase('PAYMENT', 'P1')
    const late = await refund('P1', 'r3')
    const requests = await payments.refundRequests([first, other, late])
    expect([first, other, late].map((id) => requests.get(id)?.reason)).toEqual([
      null,
      'P2 is returned by Ada Payer',
      null,
    ])
    const events = (await store.log.read(0, 100, { paymentIds: ['P1', 'P2'] })).events
    expect(events.filter(({ payment }) => payment?.refunds !== undefined)).not.toHaveLength(0)
    expect(JSON.stringify(events)).not.toContain('Ada Payer')
  })

  it('erases the reasons of refunds that were made elsewhere, and stores none afterwards', async () => {
    const refunded = (paymentId: string, status: string) => {
      const said = report(status, { paymentId, payer: ADA, refundDescription: `${paymentId}: Ada Payer` })
      return store.inbox.receive(delivery(said, { bytes: `${paymentId} ${status}` }))
    }
    const reasons = async () => {
      const found = [...(await store.payments.refundRequests(['P1-1', 'P1-2', 'P2-1'])).values()]
      return Object.fromEntries(found.map(({ commandId, reason, idempotencyKey: key }) => [commandId, [reason, key]]))
    }
    for (const id of ['P1', 'P2']) await refunded(id, 'partially_refunded')
    expect(await reasons()).toEqual({ 'P1-1': ['P1: Ada Payer', null], 'P2-1': ['P2: Ada Payer', null] })
    await erase('PAYMENT', 'P1')
    await refunded('P1', 'return_received')
    expect(await reasons()).toEqual({ 'P1-1': [null, null], 'P2-1': ['P2: Ada Payer', null] })
    expect(JSON.stringify(await store.log.read(0, 100, {}))).not.toContain('Ada Payer')
  })

  it('erases the payers of the payments through a link', async () => {
    await settledLink(store, 'a')
    await settledLink(store, 'b')
    await pay('P1', ADA, 'a', 'failed')
    await pay('P2', BOB, 'a')
    await pay('P3', ADA, 'b')
    expect(await eraseCounted('LINK', 'LINK-a')).toMatchObject({ payments: 2, payers: 2 })
    expect(await payers('P1', 'P2', 'P3')).toEqual({ P3: ADA })
  })

  it('erases the payer of an agreement, and drops what is reported later', async () => {
    const payer = { ...NO_AGREEMENT_PAYER, name: 'Ada Payer', accountNumberMasked: '•••123' }
    await settledAgreement(store, 'agr', { payer })
    expect(await erase('AGREEMENT', 'AGR1')).toMatchObject({ agreements: 1, payments: 0, payers: 1 })
    expect(await store.agreements.payers(['AGR1'])).toEqual(new Map())
    await store.inbox.receiveAgreement(callback(agreementReport('active', { payer })))
    expect(await store.agreements.byIds(['AGR1'])).toMatchObject([{ statusRaw: 'active' }])
    expect(await store.agreements.payers(['AGR1'])).toEqual(new Map())
  })

  it.each(['ada@example.test', 'ADA@EXAMPLE.TEST', 'Ada@Example.test'])(
    'erases the payers with the e-mail address %s in any case',
    async (email) => {
      await pay('P1', ADA)
      await pay('P2', { ...ADA, email: 'ada@example.TEST' })
      await pay('P3', BOB)
      await pay('P4', { ...ADA, email: 'xada@example.test' })
      expect(await eraseCounted('EMAIL', email)).toMatchObject({ payments: 2, payers: 2 })
      expect(Object.keys(await payers('P1', 'P2', 'P3', 'P4'))).toEqual(['P3', 'P4'])
      await pay('P5', ADA)
      expect(await payers('P5')).toEqual({ P5: ADA })
    },
  )

  it('erases the payers with an e-mail address beyond ASCII', async () => {
    await pay('P1', { name: null, email: 'ÉMILE@example.test' } as never)
    await pay('P2', { name: null, email: 'émile@example.test' } as never)
    expect(await eraseCounted('EMAIL', 'émile@example.test')).toMatchObject({ payers: 2 })
  })

  it('erases the payers of an owner, in slices, of links and of payins', async () => {
    await Promise.all(
      Array.from({ length: 205 }, async (_, index) => {
        await settledLink(store, `l${index}`, { ownerId: 'customer-7' })
        await pay(`P${index}`, ADA, `l${index}`)
      }),
    )
    await settledLink(store, 'other', { ownerId: 'customer-8' })
    await pay('OTHER', BOB, 'other')
    const { command: begun } = await store.commands.begin(command('d', { mutation: 'createPayin', refKind: 'payin' }))
    const direct = payin('d', { paymentId: 'DIRECT', ownerId: 'customer-7' })
    await store.commands.settleWithPayin(begun.id, {
      payin: direct,
      report: report('pending', { paymentId: 'DIRECT', payer: ADA }),
      at: NOW,
    })

    const first = await begin('OWNER', 'customer-7')
    expect(await store.erasures.step(first.number, NOW)).toMatchObject({ payments: 200, doneAt: null })
    expect(await begin('OWNER', 'customer-7')).toMatchObject({ number: first.number, payments: 200 })
    const { erasure, steps } = await finish(first)
    expect(erasure).toMatchObject({ payments: 206, payers: 206 })
    expect(steps).toBe(2)
    expect(await payers('P0', 'P204', 'OTHER', 'DIRECT')).toEqual({ OTHER: BOB })
    expect((await begin('OWNER', 'customer-7')).number).not.toBe(first.number)
  })

  it('erases the payers of the agreements of an owner, whom also a callback names before the answer', async () => {
    const payer = { ...NO_AGREEMENT_PAYER, name: 'Ada Payer' }
    await settledAgreement(store, 'a', { ownerId: 'customer-7', payer })
    await settledAgreement(store, 'b', { id: 'AGR2', clientTransactionId: 'c2', ownerId: 'customer-8', payer })
    const early = agreementCommand('c', { key: 'c3' })
    await store.commands.begin({ ...early, ownerId: 'customer-7' })
    const said = agreementReport('active', { id: 'AGR3', clientTransactionId: 'c3', payer })
    await store.inbox.receiveAgreement(callback(said, { ref: 'c' }))
    const { rows } = await store.agreements.page({ limit: 9, before: null }, { ownerId: 'customer-7' })
    expect(rows.map(({ row }) => row.id)).toEqual(['AGR3', 'AGR1'])
    expect(await eraseCounted('OWNER', 'customer-7')).toMatchObject({ agreements: 2, payments: 0, payers: 2 })
    expect([...(await store.agreements.payers(['AGR1', 'AGR2', 'AGR3'])).keys()]).toEqual(['AGR2'])
  })

  it('continues after a restart, and loses no payer between slices', async () => {
    await payMany(450)
    const { number } = await begin('EMAIL', ADA.email.toLowerCase())
    expect(await store.erasures.step(number, NOW)).toMatchObject({ payers: 200, doneAt: null })
    fixture.current = await fixture.opened.reopen()
    expect(await store.erasures.running()).toEqual([number])
    const { erasure } = await finish({ number } as PayerErasure)
    expect(erasure).toMatchObject({ payments: 450, payers: 450 })
    expect(await payers('P0', 'P449')).toEqual({})
  })

  it('is done by several processes at once as by one', async () => {
    await payMany(450)
    const { number } = await begin('EMAIL', ADA.email.toLowerCase())
    const { erasures } = store
    await Promise.all(Array.from({ length: 6 }, () => erasures.step(number, NOW)))
    expect((await erasures.page({ limit: 10, before: null }, {})).rows).toMatchObject([
      { number, payments: 450, payers: 450 },
    ])
  })

  it('lists erasures, newest first', async () => {
    await pay('P1', ADA)
    const made = [
      await erase('PAYMENT', 'P1'),
      await erase('OWNER', 'nobody'),
      await erase('EMAIL', 'none@example.test'),
    ]
    const { erasures } = store
    expect((await erasures.page({ limit: 2, before: null }, {})).rows).toEqual([made[2], made[1]])
    expect((await erasures.page({ limit: 2, before: { number: present(made[1]).number } }, {})).rows).toEqual([made[0]])
    expect(await erasures.step(0, NOW)).toBeNull()
    expect(await erasures.step(present(made[0]).number, after(5000))).toEqual(made[0])
  })
}
