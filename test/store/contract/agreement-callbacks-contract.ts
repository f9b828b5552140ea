import { expect, it } from 'vitest'
import {
  agreementCommand,
  agreementOf,
  agreementReport,
  callback,
  command,
  events,
  NO_AGREEMENT_PAYER,
  NOW,
  settledAgreement,
} from './builders.ts'
import type { Fixture } from './store-contract.ts'

export function agreementCallbacksContract({ store }: Fixture): void {
  it('creates the agreement, its event and its payer from a callback that comes before the answer', async () => {
    await store.commands.begin(agreementCommand('agr', { site: 'second' }))
    const payer = { ...NO_AGREEMENT_PAYER, name: 'Ada', payIdMasked: 'a•••', payIdType: 'EMAIL' } as const
    const outcome = await store.inbox.receiveAgreement(callback(agreementReport('created', { payer })))

    expect(outcome).toEqual({ disposition: 'APPLIED', repeat: false, readDue: false })
    expect(await agreementOf(store)).toMatchObject({ ref: 'agr', site: 'second', status: 'created', version: 1 })
    expect(await events(store)).toMatchObject([
      { id: 'agreement:agr.1', kind: 'AGREEMENT_CREATED', source: 'WEBHOOK', fromStatus: null, toStatus: 'created' },
    ])
    expect((await store.agreements.payers(['AGR1'])).get('AGR1')).toEqual(payer)
    expect((await store.inbox.page({ limit: 5, before: null }, { subjectIds: ['AGR1'] })).rows).toMatchObject([
      { statusRaw: 'created', disposition: 'APPLIED', attempts: 1, eventId: 'agreement:agr.1' },
    ])
    expect(JSON.stringify(await events(store))).not.toContain('Ada')
  })

  it('keeps what was known of the payer when a later callback leaves it out', async () => {
    await settledAgreement(store, 'agr', { payer: { ...NO_AGREEMENT_PAYER, name: 'Ada', bsb: '000-001' } })
    const later = { ...NO_AGREEMENT_PAYER, bsb: '000-002' }
    await store.inbox.receiveAgreement(callback(agreementReport('active', { payer: later })))
    await store.inbox.receiveAgreement(callback(agreementReport('suspended')))
    expect((await store.agreements.payers(['AGR1'])).get('AGR1')).toMatchObject({ name: 'Ada', bsb: '000-002' })
  })

  it('takes what comes to the address of any attempt of the same command', async () => {
    const { command: begun } = await store.commands.begin(agreementCommand('agr'))
    await store.commands.markUnknown(begun.id)
    const attempt = { ref: 'agr2', owner: 'process-1', leaseUntil: NOW.getTime(), sentAt: NOW.getTime() }
    await store.commands.retry(begun.id, attempt)
    expect(await store.inbox.knowsRef('agr2', ['agreement'])).toBe(true)
    await store.commands.settleWithAgreement(begun.id, {
      ref: 'agr2',
      site: 'au',
      report: agreementReport('created'),
      at: NOW,
    })
    const outcome = await store.inbox.receiveAgreement(callback(agreementReport('active'), { ref: 'agr' }))
    expect(outcome.disposition).toBe('APPLIED')
    expect((await agreementOf(store)).ref).toBe('agr2')
  })

  it('quarantines a body that speaks of another agreement than its address', async () => {
    await settledAgreement(store)
    await settledAgreement(store, 'b', { id: 'AGR2', clientTransactionId: 'client-2' })
    await store.commands.begin(agreementCommand('c', { key: 'client-3' }))
    await store.commands.begin(command('link'))
    const wrong = [
      callback(agreementReport('active'), { ref: 'b', bytes: '1' }),
      callback(agreementReport('active'), { ref: 'c', bytes: '2' }),
      callback(agreementReport('active', { clientTransactionId: null }), { ref: 'c' }),
      callback(agreementReport('active', { id: 'AGR3' }), { ref: 'agr' }),
      callback(agreementReport('active', { id: 'AGR3', clientTransactionId: null }), { ref: 'agr' }),
      callback(agreementReport('active', { id: 'AGR3', clientTransactionId: 'client-4' }), { ref: 'c' }),
      callback(agreementReport('active', { id: 'AGR3' }), { ref: 'link', bytes: '3' }),
      callback(agreementReport('active', { id: 'AGR3' }), { ref: 'unheard', bytes: '4' }),
    ]
    for (const each of wrong)
      expect(await store.inbox.receiveAgreement(each)).toEqual({
        disposition: 'QUARANTINED',
        repeat: false,
        readDue: false,
      })
    expect(await store.agreements.byIds(['AGR3'])).toEqual([])
    expect(await agreementOf(store)).toMatchObject({ status: 'created', version: 1 })
    expect(await store.log.head()).toBe(2)
  })

  it("quarantines another agreement's clientTransactionId also when the command has been forgotten", async () => {
    await settledAgreement(store, 'b', { id: 'AGR2', clientTransactionId: 'client-2' })
    const { command: begun } = await store.commands.begin(agreementCommand('agr'))
    await store.commands.forget(begun.id)
    const taken = callback(agreementReport('created', { clientTransactionId: 'client-2' }))
    expect((await store.inbox.receiveAgreement(taken)).disposition).toBe('QUARANTINED')
    expect((await store.inbox.receiveAgreement(callback(agreementReport('created')))).disposition).toBe('APPLIED')
  })
}
