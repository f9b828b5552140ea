import { expect, it } from 'vitest'
import { gatewayCallback, REQUESTED } from '../../unit/domain/gateway-payments.ts'
import { after, command, commandKey, gatewayRequest, MINUTE, NOW, present } from './builders.ts'
import type { Fixture } from './store-contract.ts'

const OPERATION = 'id-gate'
const CREATION = { mutation: 'createGatewayPayment', refKind: 'gateway-payment', requested: REQUESTED } as const
const DONE = { kind: 'done' }

/** Creations of gateway payments without an answer, and what operators record of them. */
export function gatewaySettlementsContract({ store }: Fixture): void {
  /** Records a creation of which no answer came. Returns the id of its command. */
  async function unanswered(ref = 'gate', sentAt = NOW): Promise<string> {
    const { commands } = store
    const parts = { ...CREATION, id: `id-${ref}`, sentAt: sentAt.getTime() }
    const begun = await commands.begin(command(ref, parts))
    await commands.markUnknown(begun.command.id)
    return begun.command.id
  }

  const callback = (status: string, { ref = 'gate', id = '46345' } = {}) =>
    store.inbox.receiveGatewayPayment(gatewayRequest(gatewayCallback(status, { id }), { ref, bytes: ref }))

  const settle = (paymentId: string | null, operation = OPERATION) =>
    store.commands.settleGatewayCreation(operation, paymentId, after(MINUTE))

  const retry = (ref = 'second') =>
    store.commands.retry(OPERATION, { ref, owner: 'o', leaseUntil: 0, sentAt: NOW.getTime() }, 'ABANDONED')

  const answer = (paymentId: string, ref = 'gate') =>
    store.commands.settleWithGatewayPayment(OPERATION, { ref, result: { paymentId } }, NOW)

  const paymentOf = async (id = '46345') => present((await store.gatewayPayments.byIds([id]))[0])
  const commandOf = (key = 'gate') => store.commands.find(commandKey('createGatewayPayment', `key-${key}`))
  const waiting = (limit = 9) => store.commands.unansweredGatewayCreations(limit)

  it('are listed with what was requested, the oldest first, until they are settled or reported', async () => {
    await unanswered()
    await unanswered('later', after(MINUTE))
    const gate = { ...REQUESTED, operationId: OPERATION, site: 'au', requestedAt: NOW.toISOString() }
    const later = { ...gate, operationId: 'id-later', requestedAt: after(MINUTE).toISOString() }
    expect(await waiting()).toEqual([gate, later])
    expect(await waiting(1)).toEqual([gate])
    await callback('received')
    expect(await waiting()).toEqual([later])
    await settle(null, 'id-later')
    expect(await waiting()).toEqual([])
  })

  it('have one recorded outcome, and the payment of the callback, whoever comes first', async () => {
    for (let index = 0; index < 12; index += 1) {
      const [ref, id] = [`race-${index}`, String(100 + index)]
      const operation = await unanswered(ref)
      const words = [null, id, String(900 + index)]
      const taken: (string | null)[] = []
      const operators = words.map((word) => async () => {
        if ((await settle(word, operation)).kind === 'done') taken.push(word)
      })
      const orders = [...operators, () => callback('received', { ref, id })]
      await Promise.all([...orders.slice(index % 4), ...orders.slice(0, index % 4)].map((order) => order()))
      expect(taken.length).toBeLessThan(2)
      const [word] = taken
      expect(await paymentOf(id)).toMatchObject({ ref, amount: '99.95', status: 'received' })
      expect(await paymentOf(id)).toMatchObject({ overrulesOperator: word !== undefined && word !== id })
      expect(await commandOf(ref)).toMatchObject({ state: 'SETTLED', result: { paymentId: word ?? id } })
    }
  })

  it('have the payment that an operator names, once', async () => {
    await unanswered()
    expect(await settle('46345')).toEqual(DONE)
    expect(await settle('46345')).toEqual(DONE)
    for (const other of ['2', null])
      expect(await settle(other)).toEqual({ kind: 'state-conflict', statusRaw: 'settled' })
    expect(await commandOf()).toMatchObject({ state: 'SETTLED', result: { paymentId: '46345' } })
    await callback('received')
    expect(await paymentOf()).toMatchObject({ status: 'received', amount: '99.95', overrulesOperator: false })
    expect(await settle('46345')).toEqual(DONE)
  })

  it('have another attempt where an operator found no payment, and a callback about the first is recorded', async () => {
    await unanswered()
    expect(await settle(null)).toEqual(DONE)
    expect(await settle(null)).toEqual(DONE)
    expect(await settle('46345')).toEqual({ kind: 'state-conflict', statusRaw: 'abandoned' })
    const attempt = { ref: 'second', owner: 'o', leaseUntil: 0, sentAt: NOW.getTime() }
    expect(await store.commands.retry(OPERATION, attempt)).toBe(false)
    expect(await retry()).toBe(true)
    await callback('received')
    await answer('2', 'second')
    expect(await paymentOf()).toMatchObject({ ...REQUESTED, status: 'received', overrulesOperator: true })
    expect(await paymentOf('2')).toMatchObject({ status: 'created', overrulesOperator: false })
  })

  it('are not sent again where a callback shows the payment that an operator did not find', async () => {
    await unanswered()
    await settle(null)
    await callback('received')
    expect(await paymentOf()).toMatchObject({ status: 'received', overrulesOperator: true })
    expect(await commandOf()).toMatchObject({ state: 'SETTLED', result: { paymentId: '46345' } })
    expect(await retry()).toBe(false)
    expect(await settle(null)).toEqual({ kind: 'state-conflict', statusRaw: 'received' })
  })

  it('are settled by an answer that was late, and show that an operator had found nothing', async () => {
    await unanswered()
    await settle(null)
    await answer('46345')
    expect(await paymentOf()).toMatchObject({ status: 'created', overrulesOperator: true })
    expect(await commandOf()).toMatchObject({ state: 'SETTLED', result: { paymentId: '46345' } })
  })

  it('are not settled while the answer is awaited, where another payment is known, or where it is another command', async () => {
    const { commands } = store
    await commands.begin(command('gate', { ...CREATION, id: OPERATION, leaseUntil: after(2 * MINUTE).getTime() }))
    for (const word of ['46345', null])
      expect(await settle(word)).toEqual({ kind: 'state-conflict', statusRaw: 'sent' })
    await commands.begin(command('link', { id: 'id-link' }))
    for (const other of ['id-link', 'nobody']) expect(await settle(null, other)).toEqual({ kind: 'not-found' })
    const reported = await unanswered('other')
    await callback('pending', { ref: 'other', id: '99' })
    const known = { kind: 'state-conflict', statusRaw: 'pending' }
    for (const word of ['2', null]) expect(await settle(word, reported)).toEqual(known)
    expect(await settle('99', reported)).toEqual(DONE)
    await commands.markUnknown(OPERATION)
    expect(await settle('99')).toEqual(known)
  })
}
