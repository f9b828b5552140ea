import { expect, it } from 'vitest'
import { nextDue } from '../../support/due-reads.ts'
import {
  after,
  callback,
  command,
  delivery,
  events,
  link,
  linkOf,
  MINUTE,
  NOW,
  payin,
  paymentOf,
  payoutCallback,
  present,
  report,
  settledAgreement,
  settledLink,
  settledPayout,
} from './builders.ts'
import type { Fixture } from './store-contract.ts'

export function inboxContract({ store }: Fixture): void {
  it('creates the payment, its event and its payer from the first webhook', async () => {
    const payer = { name: 'Ada', email: 'ada@example.org' }
    const outcome = await store.inbox.receive(delivery(report('pending', { payer })))

    expect(outcome).toEqual({ disposition: 'APPLIED', repeat: false, readDue: false })
    const payment = await paymentOf(store)
    expect(payment).toMatchObject({ streamId: 'payment:PAY1', linkRef: null, version: 1, statusRaw: 'pending' })
    expect(await events(store)).toEqual([
      {
        id: 'payment:PAY1.1',
        streamId: 'payment:PAY1',
        sequence: 1,
        position: 1,
        kind: 'PAYMENT_STATUS_CHANGED',
        source: 'WEBHOOK',
        requestedBy: null,
        fromStatus: null,
        toStatus: 'pending',
        linkRef: null,
        payment,
        agreement: null,
        payout: null,
        gatewayPayment: null,
        recordedAt: NOW.toISOString(),
      },
    ])
    expect(await store.payments.payers(['PAY1', 'NONE'])).toEqual(new Map([['PAY1', payer]]))
    expect(JSON.stringify(await events(store))).not.toContain('Ada')
  })

  it('keeps what was known of the payer when a later webhook leaves it out', async () => {
    await store.inbox.receive(delivery(report('pending', { payer: { name: 'Ada', email: 'old@example.org' } })))
    await store.inbox.receive(delivery(report('authorised', { payer: { name: null, email: 'new@example.org' } })))
    await store.inbox.receive(delivery(report('received')))
    expect((await store.payments.payers(['PAY1'])).get('PAY1')).toEqual({ name: 'Ada', email: 'new@example.org' })
  })

  it('counts the same bytes as another attempt, under an older hash too', async () => {
    const first = delivery(report('pending'))
    await store.inbox.receive({ ...first, headers: { 'user-agent': 'payments/1' }, elapsedMs: () => 2.5 })
    const [oldHash] = first.bodyHashes
    const again = await store.inbox.receive({ ...first, bodyHashes: ['new key', oldHash], receivedAt: after(MINUTE) })

    expect(again).toEqual({ disposition: 'APPLIED', repeat: true, readDue: false })
    const deliveries = (await store.inbox.page({ limit: 10, before: null }, {})).rows
    expect(deliveries).toEqual([
      {
        id: deliveries[0]?.id,
        number: 1,
        ref: null,
        subjectId: 'PAY1',
        statusRaw: 'pending',
        disposition: 'APPLIED',
        attempts: 2,
        firstReceivedAt: NOW.toISOString(),
        lastReceivedAt: after(MINUTE).toISOString(),
        signed: null,
        keyId: null,
        eventId: 'payment:PAY1.1',
        body: first.body,
        headers: { 'user-agent': 'payments/1' },
        storedAfterMs: 3,
      },
    ])
    expect(await store.log.head()).toBe(1)
  })

  it('asks for a read when a repeat may be a second refund, and records no event', async () => {
    const refund = delivery(report('partially_refunded'))
    await store.inbox.receive(delivery(report('received')))
    await store.inbox.receive(refund)
    const subject = await store.reads.subject('PAY1')
    const outcome = await store.inbox.receive(refund)

    expect(outcome).toEqual({ disposition: 'APPLIED', repeat: true, readDue: true })
    expect((await store.reads.subject('PAY1'))?.deliveries).toBe((subject?.deliveries ?? 0) + 1)
    expect(await store.log.head()).toBe(2)
  })

  it('marks the payment as provisional when a repeat names a status that it has left', async () => {
    const pending = delivery(report('pending'))
    await store.inbox.receive(pending)
    await store.inbox.receive(delivery(report('failed')))
    expect((await store.inbox.receive(pending)).readDue).toBe(true)
    expect(await paymentOf(store)).toMatchObject({ statusRaw: 'failed', provisional: true, version: 2 })
  })

  it('keeps what comes late without an effect', async () => {
    await store.inbox.receive(delivery(report('received')))
    const outcome = await store.inbox.receive(delivery(report('pending')))
    expect(outcome).toEqual({ disposition: 'STALE', repeat: false, readDue: false })
    expect(await paymentOf(store)).toMatchObject({ statusRaw: 'received', version: 1, provisional: false })
  })

  it('quarantines what is authentic but unusable, once per body', async () => {
    const unusable = delivery(null, { body: null })
    expect((await store.inbox.receive(unusable)).disposition).toBe('QUARANTINED')
    expect(await store.inbox.receive(unusable)).toEqual({ disposition: 'QUARANTINED', repeat: true, readDue: false })
    expect((await store.inbox.page({ limit: 10, before: null }, { dispositions: ['QUARANTINED'] })).rows).toMatchObject(
      [{ subjectId: null, statusRaw: null, attempts: 2, eventId: null }],
    )
    expect(await store.log.head()).toBe(0)
  })

  it('has what its address was made for read instead of what cannot be read, and no answer from before', async () => {
    await settledLink(store, 'unused')
    await settledLink(store, 'used')
    await store.inbox.receive(delivery(report('authorised'), { ref: 'used' }))
    const { command: begun } = await store.commands.begin(command('p', { mutation: 'createPayin', refKind: 'payin' }))
    await store.commands.settleWithPayin(begun.id, {
      payin: payin('p', { paymentId: 'PAY2' }),
      report: report('pending', { paymentId: 'PAY2' }),
      at: NOW,
    })
    await settledAgreement(store)
    await settledPayout(store)
    const asked = present(await store.reads.subject('LINK-unused'))
    const receivedAt = after(MINUTE)

    for (const ref of ['unused', 'used', 'p'])
      expect(await store.inbox.receive(delivery(null, { ref, bytes: ref, receivedAt }))).toMatchObject({
        readDue: true,
      })
    expect(await store.inbox.receiveAgreement(callback(null, { receivedAt }))).toMatchObject({ readDue: true })
    expect(await store.inbox.receivePayout(payoutCallback(null, { bytes: 'payout', receivedAt }))).toMatchObject({
      readDue: true,
    })

    const due = await store.reads.due({ readSites: ['au'], by: receivedAt, limit: 9 })
    expect(new Set(due.map(({ kind, id, readClass }) => `${readClass} ${kind} ${id}`))).toEqual(
      new Set(
        ['link LINK-unused', 'payment PAY1', 'payment PAY2', 'agreement AGR1', 'payout OUT1'].map(
          (one) => `doubt ${one}`,
        ),
      ),
    )
    const untouched = report('pending', { paymentId: 'LINK-unused', linkId: 'LINK-unused' })
    expect(await store.reads.record(asked, untouched, receivedAt, null)).toBe('superseded')
  })

  it("quarantines a body that names another link than its address, or another link's payment", async () => {
    await settledLink(store, 'a')
    await settledLink(store, 'b')
    await store.inbox.receive(delivery(report('pending'), { ref: 'a' }))
    const otherLink = delivery(report('pending', { paymentId: 'PAY2', linkId: 'LINK-a' }), { ref: 'b' })
    const otherPayment = delivery(report('received'), { ref: 'b' })

    for (const wrong of [otherLink, otherPayment, otherPayment])
      expect((await store.inbox.receive(wrong)).disposition).toBe('QUARANTINED')
    expect(await paymentOf(store)).toMatchObject({ statusRaw: 'pending', linkRef: 'a', provisional: false })
    expect(await store.payments.byIds(['PAY2'])).toEqual([])
    expect((await linkOf(store, 'LINK-b')).paymentId).toBeNull()
  })

  it('takes over the payment that came in before its link was on record', async () => {
    const { command: begun } = await store.commands.begin(command('a'))
    await store.inbox.receive(
      delivery(report('authorised', { details: { amount: null, currency: null } }), { ref: 'a' }),
    )
    expect(await paymentOf(store)).toMatchObject({ linkRef: 'a', streamId: 'link:a', details: { amount: null } })
    await store.commands.settleWithLink(begun.id, link('a'), after(MINUTE))
    await store.inbox.receive(delivery(report('received', { details: { amount: null } }), { ref: 'a' }))

    expect((await events(store)).map(({ id, kind, source }) => [id, kind, source])).toEqual([
      ['link:a.1', 'PAYMENT_STATUS_CHANGED', 'WEBHOOK'],
      ['link:a.2', 'LINK_CREATED', 'COMMAND'],
      ['link:a.3', 'PAYMENT_STATUS_CHANGED', 'WEBHOOK'],
    ])
    expect(await paymentOf(store)).toMatchObject({ version: 3, details: { amount: '25.50', currency: 'AUD' } })
    expect((await store.links.snapshot('LINK-a'))?.payment?.id).toBe('PAY1')
    expect(await nextDue(store)).toBeNull()
  })

  it('takes over the payment whose body named the link before it was on record', async () => {
    await store.inbox.receive(delivery(report('pending', { linkId: 'LINK-a' })))
    await settledLink(store, 'a')
    expect(await paymentOf(store)).toMatchObject({ linkRef: 'a', streamId: 'payment:PAY1' })
    expect((await linkOf(store, 'LINK-a')).paymentId).toBe('PAY1')
  })

  it('gives a payment that was known without a link its link, and leaves it in its stream', async () => {
    await store.inbox.receive(delivery(report('pending', { details: { amount: null } })))
    await settledLink(store, 'a')
    await store.inbox.receive(delivery(report('authorised', { details: { amount: null } }), { ref: 'a' }))
    expect(await paymentOf(store)).toMatchObject({
      linkRef: 'a',
      streamId: 'payment:PAY1',
      version: 2,
      details: { amount: '25.50' },
    })
    expect((await linkOf(store, 'LINK-a')).paymentId).toBe('PAY1')
    expect((await store.log.read(0, 10, { linkIds: ['LINK-a'] })).events.map(({ id }) => id)).toEqual([
      'link:a.1',
      'payment:PAY1.2',
    ])
  })

  it('finds the link by the uuid that the body names when the address has no correlation id', async () => {
    await settledLink(store, 'a')
    await store.inbox.receive(delivery(report('pending', { linkId: 'LINK-a', details: { amount: null } })))
    expect(await paymentOf(store)).toMatchObject({ linkRef: 'a', streamId: 'link:a', details: { amount: '25.50' } })
  })

  it('pages deliveries by subject and disposition while more come in', async () => {
    for (const n of [1, 2, 3, 4])
      await store.inbox.receive(delivery(report('pending', { paymentId: `P${n % 2}` }), { bytes: `${n}` }))
    const first = (await store.inbox.page({ limit: 2, before: null }, {})).rows
    await store.inbox.receive(delivery(report('pending', { paymentId: 'P9' })))
    const second = (await store.inbox.page({ limit: 2, before: first[1] ?? null }, {})).rows
    expect([...first, ...second].map(({ number }) => number)).toEqual([4, 3, 2, 1])
    expect((await store.inbox.page({ limit: 9, before: null }, { subjectIds: ['P1'] })).rows).toHaveLength(2)
    expect(
      (await store.inbox.page({ limit: 9, before: null }, { subjectIds: ['P1'], dispositions: ['NO_CHANGE'] })).rows,
    ).toHaveLength(1)
    expect((await store.inbox.page({ limit: 9, before: null }, { subjectIds: [] })).rows).toEqual([])
  })
}
