import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { gatewayCallback, gatewayCreation } from '../../unit/domain/gateway-payments.ts'
import { after, command, commandKey, events, MINUTE, NOW, present } from './builders.ts'
import type { Fixture } from './store-contract.ts'

const REQUESTED = { orderId: 'order-1', amount: '99.95', currency: 'AUD', description: 'Two tickets' }
const OPERATION = 'id-gate'

export function gatewaySettlementsContract(fixture: Fixture): void {
  /** Records a creation of which no answer came. Returns the id of its command. */
  async function unanswered(ref = 'gate', sentAt = NOW): Promise<string> {
    const kind = { mutation: 'createGatewayPayment', refKind: 'gateway-payment', site: 'au' } as const
    const { commands } = fixture.store
    const begun = await commands.begin(
      command(ref, { ...kind, id: `id-${ref}`, requested: REQUESTED, sentAt: sentAt.getTime() }),
    )
    await commands.markUnknown(begun.command.id)
    return begun.command.id
  }

  const callback = (status: string, { ref = 'gate', id = '46345' } = {}) => {
    const report = gatewayCallback(status, { id, orderId: null })
    const hash = createHash('sha256')
      .update(JSON.stringify([report, ref]))
      .digest('hex')
    return fixture.store.inbox.receiveGatewayPayment({ ref, body: null, receivedAt: NOW, report, bodyHashes: [hash] })
  }

  const settle = (paymentId: string | null, operation = OPERATION) =>
    fixture.store.commands.settleGatewayCreation(operation, { paymentId, settledBy: 'ada' }, after(MINUTE))

  const paymentOf = async (id = '46345') => present((await fixture.store.gatewayPayments.byIds([id]))[0])
  const commandOf = (key = 'gate') => fixture.store.commands.find(commandKey('createGatewayPayment', `key-${key}`))
  const waiting = (from = 0, limit = 9, behind: string | null = null) =>
    fixture.store.commands.unansweredGatewayCreations({ limit, from, after: behind })

  describe('a creation without an answer', () => {
    it('is listed with what was requested, the oldest first, until it is settled', async () => {
      await unanswered()
      await unanswered('later', after(MINUTE))
      const gate = {
        ...REQUESTED,
        operationId: OPERATION,
        site: 'au',
        paymentId: null,
        requestedAt: NOW.toISOString(),
      }
      const later = { ...gate, operationId: 'id-later', requestedAt: after(MINUTE).toISOString() }
      expect(await waiting()).toEqual([gate, later])
      expect(await waiting(0, 1)).toEqual([gate])
      expect(await waiting(after(MINUTE).getTime())).toEqual([later])
      await callback('received')
      expect(await waiting()).toEqual([{ ...gate, paymentId: '46345' }, later])
      await settle('46345')
      expect(await waiting()).toEqual([later])
    })

    it('is reached page by page, also where many were sent at one instant', async () => {
      for (const name of ['c', 'a', 'e', 'b', 'd']) await unanswered(name)
      await unanswered('later', after(MINUTE))
      const seen: string[] = []
      let page = await waiting(0, 2)
      for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
        seen.push(...page.map(({ operationId }) => operationId))
        page = await waiting(Date.parse(last.requestedAt), 2, last.operationId)
      }
      expect(seen).toEqual(['id-a', 'id-b', 'id-c', 'id-d', 'id-e', 'id-later'])
    })

    it('has one outcome, whoever comes first of two operators and a callback', async () => {
      const refs = Array.from({ length: 12 }, (_, index) => `race-${index}`)
      for (const [index, ref] of refs.entries()) {
        const operation = await unanswered(ref)
        const id = String(100 + index)
        const orders = [
          () => settle(id, operation),
          () => settle(null, operation),
          () => settle(String(900 + index), operation),
          () => callback('received', { ref, id }),
        ]
        const turned = [...orders.slice(index % 4), ...orders.slice(0, index % 4)]
        await Promise.all(turned.map((order) => order()))
        const mine = (await events(fixture.store)).filter(
          (event) => event.gatewayPayment?.ref === ref || event.gatewayCreation?.operationId === operation,
        )
        const ids = new Set(mine.flatMap(({ gatewayPayment }) => gatewayPayment?.id ?? []))
        expect(ids.size).toBe(1)
        const { state } = present(await commandOf(ref))
        expect(['SETTLED', 'UNKNOWN']).toContain(state)
        const shown = present((await fixture.store.gatewayPayments.byIds([...ids]))[0])
        expect(shown).toMatchObject({ ref, amount: '99.95', unanswered: state === 'UNKNOWN' })
      }
    })

    it('becomes the payment that an operator names, which callbacks move from then on', async () => {
      await unanswered()
      const done = { kind: 'done', payment: { id: '46345', status: 'created', ...REQUESTED, settledBy: 'ada' } }
      expect(await settle('46345')).toMatchObject(done)
      expect(await settle('46345')).toMatchObject(done)
      expect(await commandOf()).toMatchObject({ state: 'SETTLED', result: { paymentId: '46345', orderId: 'order-1' } })
      expect(await settle('2')).toEqual({ kind: 'state-conflict', statusRaw: 'created' })
      expect(await settle(null)).toEqual({ kind: 'state-conflict', statusRaw: 'created' })
      await callback('received')
      expect(await paymentOf()).toMatchObject({ status: 'received', provisional: false, amount: '99.95' })
      expect((await events(fixture.store)).map(({ kind, source }) => [kind, source])).toEqual([
        ['GATEWAY_PAYMENT_CREATED', 'OPERATOR'],
        ['GATEWAY_PAYMENT_STATUS_CHANGED', 'WEBHOOK'],
      ])
    })

    it('is confirmed where a callback has named the same payment, and keeps its status', async () => {
      await unanswered()
      await callback('received')
      expect(await paymentOf()).toMatchObject({ ...REQUESTED, provisional: true, unanswered: true })
      expect(await settle('2')).toEqual({ kind: 'state-conflict', statusRaw: 'received' })
      expect(await settle(null)).toEqual({ kind: 'state-conflict', statusRaw: 'received' })
      expect(await settle('46345')).toMatchObject({ kind: 'done', payment: { status: 'received', provisional: false } })
      const { version } = await paymentOf()
      expect(await settle('46345')).toMatchObject({ kind: 'done', payment: { version } })
      expect(await events(fixture.store)).toMatchObject([
        { kind: 'GATEWAY_PAYMENT_CREATED' },
        { kind: 'GATEWAY_PAYMENT_SETTLED', source: 'OPERATOR', gatewayPayment: { settledBy: 'ada' } },
      ])
    })

    it('was not carried out: it is an event, and the key makes another attempt', async () => {
      await unanswered()
      expect(await settle(null)).toEqual({ kind: 'done', payment: null })
      expect(await settle(null)).toEqual({ kind: 'done', payment: null })
      const [event, ...others] = await events(fixture.store)
      expect(others).toEqual([])
      expect(event).toMatchObject({
        id: `gateway:operation-${OPERATION}.1`,
        kind: 'GATEWAY_PAYMENT_NOT_CREATED',
        source: 'OPERATOR',
        toStatus: 'not_created',
        gatewayPayment: null,
        gatewayCreation: { ...REQUESTED, operationId: OPERATION, site: 'au', settledBy: 'ada' },
      })
      expect(await fixture.store.log.byIds([event?.id ?? ''])).toEqual([event])
      expect(await waiting()).toEqual([])
      expect(await commandOf()).toMatchObject({ state: 'ABANDONED', attempt: 1 })
      const attempt = { ref: 'second', owner: 'o', leaseUntil: 0, sentAt: NOW.getTime() }
      expect(await fixture.store.commands.retry(OPERATION, attempt)).toBe(false)
      expect(await fixture.store.commands.retry(OPERATION, attempt, 'ABANDONED')).toBe(true)
      // The first attempt was carried out all the same: its payment is on record beside that of the second.
      await callback('received')
      const made = { ref: 'second', site: 'au', result: { paymentId: '2' } }
      await fixture.store.commands.settleWithGatewayPayment(OPERATION, made, gatewayCreation({ id: '2' }), NOW)
      expect(await paymentOf()).toMatchObject({ status: 'received', amount: '99.95', provisional: true })
      expect(await paymentOf('2')).toMatchObject({ status: 'created', provisional: false })
    })

    it('is in doubt where a callback names another id than the operator did, whoever has that id', async () => {
      await unanswered()
      await unanswered('twin')
      await settle('2')
      await settle('1', 'id-twin')
      for (const [ref, id, given] of [
        ['gate', '1', '2'],
        ['twin', '46345', '1'],
      ] as const) {
        expect(await callback('pending', { ref, id })).toMatchObject({ disposition: 'DOUBTFUL' })
        expect(await callback('received', { ref, id })).toMatchObject({ disposition: 'DOUBTFUL' })
        const doubted = { status: 'created', provisional: true, contradictedBy: 'received', version: 3 }
        expect(await paymentOf(given)).toMatchObject(doubted)
        const word = { version: 3, status: 'received', settledBy: 'ada' } as const
        const settled = await fixture.store.commands.settleGatewayPayment(given, word, after(MINUTE))
        expect(settled).toMatchObject({ kind: 'done', payment: { status: 'received', provisional: false } })
        expect(await callback('refunded', { ref, id })).toMatchObject({ disposition: 'DOUBTFUL' })
      }
      expect(await fixture.store.gatewayPayments.byIds(['46345'])).toEqual([])
    })

    it.each(['settled', 'rejected'])(
      'tells what it was requested with, also once a later attempt is %s',
      async (end) => {
        await unanswered()
        await settle(null)
        const attempt = { ref: 'second', owner: 'o', leaseUntil: 0, sentAt: NOW.getTime() }
        await fixture.store.commands.retry(OPERATION, attempt, 'ABANDONED')
        const made = { ref: 'second', site: 'au', result: { paymentId: '2' } }
        await (end === 'settled'
          ? fixture.store.commands.settleWithGatewayPayment(OPERATION, made, gatewayCreation({ id: '2' }), NOW)
          : fixture.store.commands.reject(OPERATION, { httpStatus: 422 }))
        await callback('received')
        expect(await paymentOf()).toMatchObject({ status: 'received', provisional: true, ...REQUESTED })
      },
    )

    it('is open again where a callback comes after an operator found nothing', async () => {
      await unanswered()
      await settle(null)
      await callback('received')
      expect(await paymentOf()).toMatchObject({ status: 'received', provisional: true, unanswered: true })
      expect(await commandOf()).toMatchObject({ state: 'UNKNOWN' })
      expect(await waiting()).toMatchObject([{ operationId: OPERATION, paymentId: '46345' }])
      const attempt = { ref: 'second', owner: 'o', leaseUntil: 0, sentAt: NOW.getTime() }
      expect(await fixture.store.commands.retry(OPERATION, attempt, 'ABANDONED')).toBe(false)
      expect(await settle(null)).toMatchObject({ kind: 'state-conflict' })
      expect(await settle('46345')).toMatchObject({ kind: 'done' })
    })

    it('is what was found at last, where an operator found nothing first', async () => {
      await unanswered()
      await settle(null)
      expect(await settle('46345')).toMatchObject({ kind: 'done', payment: { id: '46345' } })
      expect(await commandOf()).toMatchObject({ state: 'SETTLED' })
    })

    it('keeps nothing of the request once its outcome is known', async () => {
      await unanswered()
      const made = { ref: 'gate', site: 'au', result: { paymentId: '46345' } }
      await fixture.store.commands.settleWithGatewayPayment(OPERATION, made, gatewayCreation({ id: '46345' }), NOW)
      await callback('received', { id: '46345' })
      await unanswered('refused')
      await fixture.store.commands.reject('id-refused', { httpStatus: 422 })
      await callback('received', { ref: 'refused', id: '7' })
      expect(await paymentOf('7')).toMatchObject({ amount: null, orderId: null })
    })

    it('cannot be settled while its answer is awaited, or where it is another command', async () => {
      const { commands } = fixture.store
      const kind = { mutation: 'createGatewayPayment', refKind: 'gateway-payment', site: 'au' } as const
      await commands.begin(command('gate', { ...kind, id: OPERATION, leaseUntil: after(2 * MINUTE).getTime() }))
      expect(await settle('46345')).toEqual({ kind: 'state-conflict', statusRaw: 'sent' })
      expect(await settle(null)).toEqual({ kind: 'state-conflict', statusRaw: 'sent' })
      await commands.begin(command('link', { id: 'id-link' }))
      expect(await settle(null, 'id-link')).toEqual({ kind: 'not-found' })
      expect(await settle(null, 'nobody')).toEqual({ kind: 'not-found' })
      await unanswered('other')
      await callback('pending', { ref: 'other', id: '99' })
      await commands.markUnknown(OPERATION)
      expect(await settle('99')).toEqual({ kind: 'state-conflict', statusRaw: 'pending' })
    })
  })

  describe('a provisional payment', () => {
    const word = (version: number, status: 'received' | 'failed') =>
      fixture.store.commands.settleGatewayPayment('46345', { version, status, settledBy: 'ada' }, after(MINUTE))

    it('takes the status that an operator found, unless a callback came since', async () => {
      await unanswered()
      await callback('failed')
      await callback('pending')
      const { version } = await paymentOf()
      await callback('expired')
      expect(await word(version, 'received')).toEqual({ kind: 'state-conflict', statusRaw: 'failed' })
      const settled = { kind: 'done', payment: { status: 'received', provisional: false, version: version + 2 } }
      expect(await word(version + 1, 'received')).toMatchObject(settled)
      expect(await word(version + 1, 'received')).toMatchObject(settled)
      expect(await word(version + 2, 'received')).toMatchObject({ kind: 'state-conflict' })
      expect(await commandOf()).toMatchObject({ state: 'SETTLED' })
      expect((await events(fixture.store)).at(-1)).toMatchObject({
        kind: 'GATEWAY_PAYMENT_SETTLED',
        source: 'OPERATOR',
        fromStatus: 'failed',
        toStatus: 'received',
      })
      await callback('return_pending')
      expect(await paymentOf()).toMatchObject({ status: 'return_pending', provisional: false, settledBy: 'ada' })
    })

    it('is nobody’s where there is none', async () => {
      expect(await word(1, 'received')).toEqual({ kind: 'not-found' })
    })
  })
}
