import { expect, it } from 'vitest'
import type { SigningKeyUse } from '../../../src/store/port.ts'
import { after, agreementReport, NOW, settledAgreement } from './builders.ts'
import type { Fixture } from './store-contract.ts'

/** Tests the record of signing keys. */
export function signingKeysContract(fixture: Fixture): void {
  const { store } = fixture
  const use = (keyId: string, changes: Partial<SigningKeyUse> = {}): SigningKeyUse => ({
    setting: 'CALLBACK_KEYS',
    keyId,
    signs: true,
    lastCallbackAt: null,
    ...changes,
  })

  it('does not say since when the first keys have signed, but of those that follow', async () => {
    const { signingKeys } = store
    await signingKeys.record([use('a'), use('b', { signs: false })], NOW)
    await signingKeys.record([use('b'), use('a', { signs: false })], after(1000))
    await signingKeys.record([use('c'), use('b', { signs: false })], after(2000))
    const told = { setting: 'CALLBACK_KEYS', lastCallbackAt: null }
    expect(await signingKeys.all()).toEqual([
      { ...told, keyId: 'c', firstSignedAt: after(2000), lastSignedAt: after(2000) },
      { ...told, keyId: 'b', firstSignedAt: null, lastSignedAt: after(1000) },
      { ...told, keyId: 'a', firstSignedAt: null, lastSignedAt: NOW },
    ])
  })

  it('keeps the settings apart, and the last callback of each key', async () => {
    const { signingKeys } = store
    await signingKeys.record([use('a', { lastCallbackAt: after(500) }), use('a', { setting: 'SIGNING_KEYS' })], NOW)
    // Of a node that has heard of an earlier callback, or of none.
    await signingKeys.record([use('a', { lastCallbackAt: after(400) })], after(1000))
    await signingKeys.record([use('a')], after(2000))
    const again = await fixture.opened.reopen()
    expect(await again.signingKeys.all()).toMatchObject([
      { setting: 'CALLBACK_KEYS', lastCallbackAt: after(500), lastSignedAt: after(2000) },
      { setting: 'SIGNING_KEYS', lastCallbackAt: null, lastSignedAt: NOW },
    ])
  })

  it('counts the agreements that were created with a key, and have not ended', async () => {
    const { signingKeys } = store
    const statuses = ['active', 'suspended', 'created', 'a status that is not known', 'cancelled', 'failed']
    for (const [index, statusRaw] of statuses.entries()) {
      const parts = { ...agreementReport(statusRaw), id: `A${index}`, serviceId: `${index}` }
      await settledAgreement(store, `ref-${index}`, { ...parts, clientTransactionId: `client-${index}` })
    }
    expect(await signingKeys.openAgreements(null, NOW)).toBe(4)
    expect(await signingKeys.openAgreements(NOW, after(1000))).toBe(4)
    expect(await signingKeys.openAgreements(after(1), after(1000))).toBe(0)
    expect(await signingKeys.openAgreements(null, after(-1))).toBe(0)
  })
}
