import { expect, it } from 'vitest'
import type { AgreementReport } from '../../../src/domain/agreements/agreement-report.ts'
import type { PaymentReport } from '../../../src/domain/payments/payment-report.ts'
import type { Store } from '../../../src/ledger/store.ts'
import type { IncomingDelivery } from '../../../src/store/port.ts'
import { nextDue } from '../../support/due-reads.ts'
import {
  after,
  agreementOf,
  agreementReport,
  callback,
  delivery,
  events,
  linkOf,
  MINUTE,
  NOW,
  paymentOf,
  payoutCallback,
  present,
  report,
  settledAgreement,
  settledLink,
} from './builders.ts'
import type { Fixture } from './store-contract.ts'

/** Parses the bodies that the builders write. */
const parse = {
  payment: (body: string) => (JSON.parse(body) as { said: PaymentReport | null }).said,
  agreement: (body: string) => (JSON.parse(body) as { said: AgreementReport | null }).said,
}

const LATER = after(MINUTE)

const replay = (store: Store, id: string, apply = true) => store.inbox.replay({ id, apply, at: LATER, parse })

/** Returns a webhook as a version stores it that cannot parse its body. */
function unread(said: PaymentReport, ref: string | null = null): IncomingDelivery {
  return { ...delivery(said, { ref }), report: null }
}

/** Returns the latest delivery. */
async function latest(store: Store) {
  return present((await store.inbox.page({ limit: 1, before: null }, {})).rows[0])
}

/** Returns everything that a dry run must not change. */
async function everything({ store }: Fixture) {
  const [payments, agreements] = [
    await store.payments.byIds(['PAY1', 'PAY2']),
    await store.agreements.byIds(['AGR1', 'AGR2']),
  ]
  return {
    head: await store.log.head(),
    deliveries: (await store.inbox.page({ limit: 100, before: null }, {})).rows,
    payments,
    agreements,
    links: await store.links.byIds(['LINK-a', 'LINK-b']),
    nextDue: await nextDue(store),
    nextAgreementDue: await nextDue(store, 'agreement'),
    subject: await store.reads.subject('PAY1'),
    agreement: await store.agreementReads.subject('AGR1'),
  }
}

export function replayContract(fixture: Fixture): void {
  const { store } = fixture
  it('applies what an earlier version could not read, and has the payments API asked what is true', async () => {
    await settledLink(store, 'a')
    await store.inbox.receive(delivery(report('pending'), { ref: 'a' }))
    await store.inbox.receive(unread(report('received'), 'a'))
    const { id } = await latest(store)

    expect(await replay(store, id)).toEqual({
      kind: 'replayed',
      before: 'QUARANTINED',
      after: 'APPLIED',
      readDue: true,
      statusBefore: 'pending',
      statusAfter: 'received',
    })
    expect(await paymentOf(store)).toMatchObject({ statusRaw: 'received', version: 3, streamId: 'link:a' })
    expect((await linkOf(store, 'LINK-a')).paymentId).toBe('PAY1')
    expect((await events(store)).at(-1)).toMatchObject({
      id: 'link:a.3',
      source: 'WEBHOOK',
      toStatus: 'received',
      recordedAt: LATER.toISOString(),
    })
    expect(await store.inbox.byIds([id])).toMatchObject([
      {
        disposition: 'APPLIED',
        subjectId: 'PAY1',
        statusRaw: 'received',
        eventId: 'link:a.3',
        attempts: 1,
        lastReceivedAt: NOW.toISOString(),
      },
    ])
    // The read that was due when it could not be read.
    expect(await nextDue(store)).toEqual(NOW)
  })

  it('recognises the same bytes afterwards as a repeat of the delivery that was replayed', async () => {
    const incoming = unread(report('pending'))
    await store.inbox.receive(incoming)
    await replay(store, (await latest(store)).id)
    expect(await store.inbox.receive(incoming)).toMatchObject({ disposition: 'APPLIED', repeat: true })
    expect(await store.log.head()).toBe(1)
  })

  it('decides a doubtful delivery anew and asks for a read, also when the state has come to agree with it', async () => {
    await store.inbox.receive(delivery(report('failed')))
    await store.inbox.receive(delivery(report('authorised')))
    const { id } = await latest(store)
    expect(await replay(store, id)).toMatchObject({
      before: 'DOUBTFUL',
      after: 'DOUBTFUL',
      readDue: true,
      statusBefore: 'failed',
      statusAfter: 'failed',
    })
    const subject = present(await store.reads.subject('PAY1'))
    await store.reads.record(subject, report('authorised'), LATER, null)
    expect((await nextDue(store))?.getTime()).toBeGreaterThan(LATER.getTime())

    expect(await replay(store, id)).toMatchObject({ before: 'DOUBTFUL', after: 'NO_CHANGE', readDue: true })
    expect(await nextDue(store)).toEqual(LATER)
    expect(await replay(store, id)).toMatchObject({ before: 'NO_CHANGE', after: 'NO_CHANGE', readDue: false })
    expect(await store.log.head()).toBe(2)
  })

  it('of a callback decides against the agreement as it is now', async () => {
    await settledAgreement(store)
    await store.inbox.receiveAgreement({ ...callback(agreementReport('active')), report: null })
    const { id } = await latest(store)
    expect(await replay(store, id)).toEqual({
      kind: 'replayed',
      before: 'QUARANTINED',
      after: 'APPLIED',
      readDue: true,
      statusBefore: 'created',
      statusAfter: 'active',
    })
    expect(await agreementOf(store)).toMatchObject({ status: 'active', version: 2 })
    expect(await nextDue(store, 'agreement')).toEqual(NOW)
    expect(await store.inbox.byIds([id])).toMatchObject([
      { disposition: 'APPLIED', subjectId: 'AGR1', statusRaw: 'active', eventId: 'agreement:agr.2' },
    ])
  })

  it('without apply tells the same and changes nothing', async () => {
    const woken: number[] = []
    await settledLink(store, 'a')
    await settledAgreement(store)
    await store.inbox.receive(delivery(report('failed'), { ref: 'a' }))
    await store.inbox.receive(delivery(report('pending'), { ref: 'a' }))
    const doubtful = await latest(store)
    await store.reads.record(present(await store.reads.subject('PAY1')), report('failed'), NOW, null)
    await store.inbox.receive(unread(report('received'), 'a'))
    const unreadWebhook = await latest(store)
    await store.inbox.receive(unread(report('pending', { paymentId: 'PAY2' })))
    const unreadBirth = await latest(store)
    await store.inbox.receiveAgreement({ ...callback(agreementReport('active')), report: null })
    const unreadCallback = await latest(store)
    store.log.onAppend(() => woken.push(1))
    const before = await everything(fixture)

    const dry = []
    const ids = [doubtful, unreadCallback, unreadBirth, unreadWebhook].map(({ id }) => id)
    for (const id of ids) dry.push(await replay(store, id, false))
    expect(await everything(fixture)).toEqual(before)
    expect(woken).toEqual([])

    const wet = []
    for (const id of ids) wet.push(await replay(store, id))
    expect(wet).toEqual(dry)
    expect(await everything(fixture)).not.toEqual(before)
    expect(woken.length).toBeGreaterThan(0)
  })

  it('leaves no hole in the log when a dry run and other writers share a commit', async () => {
    await store.inbox.receive(unread(report('pending', { paymentId: 'PAY2' })))
    const { id } = await latest(store)
    await Promise.all([
      store.inbox.receive(delivery(report('pending'))),
      replay(store, id, false),
      store.inbox.receive(delivery(report('authorised'))),
      replay(store, id),
      replay(store, id),
    ])
    expect((await events(store)).map(({ position }) => position)).toEqual([1, 2, 3])
  })

  it('never forces what came to the address of something else', async () => {
    await settledLink(store, 'a')
    await settledLink(store, 'b')
    await settledAgreement(store)
    await store.inbox.receive(delivery(report('pending'), { ref: 'a' }))
    await store.inbox.receive(delivery(report('received'), { ref: 'b' }))
    const misaddressed = [await latest(store)]
    await store.inbox.receiveAgreement(callback(agreementReport('active', { clientTransactionId: 'client-9' })))
    misaddressed.push(await latest(store))
    await store.inbox.receive(unread(report('received'), 'b'))
    misaddressed.push(await latest(store))
    const anothersLink = report('pending', { paymentId: 'PAY2', linkId: 'LINK-a' })
    const keptInPart = JSON.stringify({ said: { ...anothersLink, linkId: null } })
    await store.inbox.receive(delivery(anothersLink, { ref: 'b', body: keptInPart }))
    misaddressed.push(await latest(store))
    await store.inbox.receiveAgreement({
      ...callback(agreementReport('active', { clientTransactionId: 'client-8' })),
      report: null,
    })
    misaddressed.push(await latest(store))
    const before = await everything(fixture)

    for (const { id } of misaddressed)
      expect(await replay(store, id)).toEqual({ kind: 'not-replayable', reason: 'MISADDRESSED' })
    expect(await everything(fixture)).toEqual(before)
  })

  it('refuses what has been applied, what has no body, what is still unreadable, and what is not there', async () => {
    await store.inbox.receive(delivery(report('pending')))
    const applied = await latest(store)
    await store.inbox.receive(delivery(null, { body: null, bytes: 'no object' }))
    const bodiless = await latest(store)
    await store.inbox.receive(delivery(null))
    const unreadable = await latest(store)
    await store.inbox.receivePayout(payoutCallback(null, { bytes: 'payout' }))
    const kept = await latest(store)
    const before = await everything(fixture)

    expect(await replay(store, applied.id)).toEqual({ kind: 'not-replayable', reason: 'ALREADY_APPLIED' })
    expect(await replay(store, bodiless.id)).toEqual({ kind: 'not-replayable', reason: 'WITHOUT_BODY' })
    expect(await replay(store, unreadable.id)).toEqual({ kind: 'not-replayable', reason: 'UNREADABLE' })
    expect(await replay(store, kept.id)).toEqual({ kind: 'not-replayable', reason: 'WITHOUT_BODY' })
    expect(await replay(store, 'nobody')).toEqual({ kind: 'not-found' })
    expect(await everything(fixture)).toEqual(before)
  })
}
