import { expect, it } from 'vitest'
import type { Command } from '../../../src/domain/command.ts'
import { StoreConflictError } from '../../../src/store/store-errors.ts'
import { after, command, commandKey, events, link, linkOf, MINUTE, NOW, present } from './builders.ts'
import type { Fixture } from './store-contract.ts'

export function commandsContract({ store }: Fixture): void {
  const attempt = {
    ref: 'second',
    owner: 'process-2',
    leaseUntil: NOW.getTime() + 90_000,
    sentAt: NOW.getTime() + 60_000,
  }

  async function find(key: string): Promise<Command> {
    return present(await store.commands.find(commandKey('createPaymentLink', key)))
  }

  it('records a command once per mutation and key', async () => {
    const { commands } = store
    const fresh = command('first')
    const { refKind: _kind, site: _site, ...kept } = fresh
    const nothing = { subjectId: null, subjectDeliveries: null, subjectVersion: null, result: null }
    const recorded = { ...kept, state: 'SENT', attempt: 1, ...nothing }
    expect(await commands.begin(fresh)).toEqual({ command: recorded, fresh: true })
    expect(await commands.begin(command('other', { key: fresh.key }))).toEqual({ command: recorded, fresh: false })
    expect((await commands.begin(command('third', { key: fresh.key, mutation: 'refundPayment' }))).fresh).toBe(true)
    expect(await commands.find(commandKey('createPaymentLink', 'no such key'))).toBeNull()
  })

  it('knows the correlation id of every attempt, also after the command was forgotten', async () => {
    const { commands, inbox } = store
    const { command: begun } = await commands.begin(command('first'))
    await commands.markUnknown(begun.id)
    expect(await commands.retry(begun.id, attempt)).toBe(true)
    await commands.forget(begun.id)

    expect(await commands.find(commandKey(begun.mutation, begun.key))).toBeNull()
    expect(await Promise.all(['first', 'second', 'third'].map((ref) => inbox.knowsRef(ref, ['link'])))).toEqual([
      true,
      true,
      false,
    ])
    expect((await commands.begin(command('third', { key: begun.key }))).fresh).toBe(true)
  })

  it('takes up again only what is unknown', async () => {
    const { commands, inbox } = store
    const { command: begun } = await commands.begin(command('first'))
    expect(await commands.retry(begun.id, attempt)).toBe(false)
    expect(await inbox.knowsRef('second', ['link'])).toBe(false)
    await commands.markUnknown(begun.id)
    expect(await commands.retry(begun.id, attempt)).toBe(true)
    expect(await find(begun.key)).toEqual({ ...begun, ...attempt, attempt: 2 })
    expect(await commands.retry(begun.id, { ...attempt, ref: 'third' })).toBe(false)
  })

  it('keeps a refusal as it is', async () => {
    const { commands } = store
    const { command: begun } = await commands.begin(command('first'))
    const refusal = { httpStatus: 422, problems: [{ path: ['amount'], message: 'is too small' }] }
    await commands.reject(begun.id, refusal)
    await commands.markUnknown(begun.id)
    await commands.forget(begun.id)
    expect(await find(begun.key)).toMatchObject({ state: 'REJECTED', result: refusal })
    await expect(commands.settleWithLink(begun.id, link('first'), NOW)).rejects.toThrow(StoreConflictError)
  })

  it('turns a command whose lease has ended into an unknown one', async () => {
    const { commands } = store
    const { command: short } = await commands.begin(command('short', { leaseUntil: NOW.getTime() + 1 }))
    const { command: long } = await commands.begin(command('long', { leaseUntil: NOW.getTime() + MINUTE }))
    expect(await commands.expireLeases(NOW.getTime() + 1)).toBe(0)
    expect(await commands.expireLeases(NOW.getTime() + 2)).toBe(1)
    expect(await commands.expireLeases(NOW.getTime() + 2)).toBe(0)
    expect((await find(short.key)).state).toBe('UNKNOWN')
    expect((await find(long.key)).state).toBe('SENT')
  })

  it('settles a command with its link in one transaction, and a second time without effect', async () => {
    const { commands } = store
    const { command: begun } = await commands.begin(command('a'))
    await commands.markUnknown(begun.id)
    const made = link('a', { ownerId: 'owner-1', methodCode: 'au_card_aud' })
    await commands.settleWithLink(begun.id, made, after(MINUTE))
    await commands.settleWithLink(begun.id, made, after(2 * MINUTE))

    expect(await linkOf(store, made.id)).toEqual(made)
    expect(await find(begun.key)).toMatchObject({ state: 'SETTLED', result: { linkId: made.id } })
    expect(await events(store)).toEqual([
      {
        id: 'link:a.1',
        streamId: 'link:a',
        sequence: 1,
        position: 1,
        kind: 'LINK_CREATED',
        source: 'COMMAND',
        requestedBy: 'back-office',
        fromStatus: null,
        toStatus: null,
        linkRef: 'a',
        payment: null,
        agreement: null,
        payout: null,
        gatewayPayment: null,
        recordedAt: after(MINUTE).toISOString(),
      },
    ])
  })

  it('refuses a second link for a command, and a uuid that the payments API gave twice', async () => {
    const { commands } = store
    const { command: first } = await commands.begin(command('a'))
    const { command: second } = await commands.begin(command('b'))
    await commands.settleWithLink(first.id, link('a'), NOW)
    await expect(commands.settleWithLink(first.id, link('x'), NOW)).rejects.toThrow('another result')
    await expect(commands.settleWithLink(second.id, link('b', { id: 'LINK-a' }), NOW)).rejects.toThrow('LINK-a')
    await expect(commands.settleWithLink('no such command', link('c'), NOW)).rejects.toThrow(StoreConflictError)
    expect((await find(second.key)).state).toBe('SENT')
    expect(await events(store)).toHaveLength(1)
  })
}
