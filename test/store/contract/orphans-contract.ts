import { expect, it } from 'vitest'
import { StoreConflictError } from '../../../src/store/store-errors.ts'
import { after, command, delivery, link, MINUTE, NOW, report } from './builders.ts'
import type { Fixture } from './store-contract.ts'

/** Links that the payments API created, and that are not the result of any command. */
export function orphansContract({ store }: Fixture): void {
  const at = (ref: string, status: string, parts: { paymentId?: string; receivedAt?: Date } = {}) => {
    const { receivedAt = NOW, paymentId = 'PAY1' } = parts
    return store.inbox.receive(delivery(report(status, { paymentId }), { ref, receivedAt }))
  }

  /** Begins a command with a first attempt of unknown outcome, and a second attempt. */
  async function attempts(): Promise<string> {
    const { commands } = store
    const { command: begun } = await commands.begin(command('first'))
    await commands.markUnknown(begun.id)
    const leaseUntil = NOW.getTime() + MINUTE
    await commands.retry(begun.id, { ref: 'second', owner: 'process-1', leaseUntil, sentAt: NOW.getTime() })
    return begun.id
  }

  it('tells once that a link of an earlier attempt was paid, and whose it is', async () => {
    const commandId = await attempts()
    await store.commands.settleWithLink(commandId, link('second'), NOW)
    expect((await at('first', 'pending')).orphan).toBeUndefined()
    const paid = await at('first', 'received')
    expect(paid).toEqual({
      disposition: 'APPLIED',
      repeat: false,
      readDue: false,
      orphan: { ref: 'first', commandId },
    })
    expect((await at('first', 'received')).orphan).toBeUndefined()
    expect((await at('first', 'return_pending')).orphan).toBeUndefined()
    const [payment] = await store.payments.byIds(['PAY1'])
    expect(payment).toMatchObject({ linkRef: 'first', streamId: 'link:first', status: 'return_pending' })
  })

  it('are what an abandoned attempt created, which is found while a later attempt is under way', async () => {
    const { commands, links, log } = store
    const commandId = await attempts()
    const abandoned = commands.settleWithLink(commandId, link('first'), NOW)
    await expect(abandoned).rejects.toThrow(StoreConflictError)
    expect(await links.byRefs(['first'])).toEqual([])
    expect(await log.head()).toBe(0)
    await commands.settleWithLink(commandId, link('second'), NOW)
    expect((await links.byRefs(['first', 'second'])).map(({ ref }) => ref)).toEqual(['second'])
    expect((await at('first', 'received')).orphan).toEqual({ ref: 'first', commandId })
  })

  it('tells nothing of the attempt that is under way, nor of a link that is on record', async () => {
    const commandId = await attempts()
    expect((await at('second', 'received')).orphan).toBeUndefined()
    await store.commands.settleWithLink(commandId, link('second'), NOW)
    expect((await at('second', 'received', { paymentId: 'PAY2' })).orphan).toBeUndefined()
  })

  it('tells of an attempt that nobody waits for any more', async () => {
    const commandId = await attempts()
    const receivedAt = after(MINUTE)
    expect((await at('second', 'received', { receivedAt })).orphan).toEqual({ ref: 'second', commandId })
    await store.commands.forget(commandId)
    expect((await at('first', 'received', { paymentId: 'PAY2' })).orphan).toEqual({ ref: 'first', commandId })
  })

  it('tells nothing of what is no link', async () => {
    const { commands } = store
    const { command: begun } = await commands.begin(command('direct', { refKind: 'payin', mutation: 'createPayin' }))
    await commands.markUnknown(begun.id)
    expect((await at('direct', 'received')).orphan).toBeUndefined()
  })

  it('finds what was paid at the address of any attempt', async () => {
    const { commands } = store
    await attempts()
    await commands.begin(command('another'))
    await at('first', 'pending')
    await at('another', 'received', { paymentId: 'PAY2' })
    expect(await commands.paidThrough('second')).toBeNull()
    await at('first', 'received')
    expect(await commands.paidThrough('second')).toBe('PAY1')
    expect(await commands.paidThrough('unheard-of')).toBeNull()
  })
}
