import { beforeAll, describe, expect, it } from 'vitest'
import { type Transport, watchPaymentAgreement, watchPayout } from '../../packages/client/src/index.ts'
import type { Scope } from '../../src/access/caller.ts'
import { createAgreement, NO_ANSWER } from '../support/agreements.ts'
import { payoutInput } from '../support/inputs.ts'
import { made, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'
import { isCaughtUp, keep, QUICK } from './watching.ts'

const TRANSPORTS: readonly Transport[] = ['socket', 'sse', 'polling']

let network: Network
beforeAll(async () => {
  network = await startNetwork({ sandbox: { ...BY_HAND, ...NO_ANSWER } })
  return () => network.close()
})

const optionsFor = (transport: Transport, scope: Scope) => ({
  url: `${network.app.url}/graphql`,
  token: () => network.token({ scopes: [scope] }),
  transports: [transport],
  pollMs: 10,
  timing: QUICK,
})

/** Creates a record. Returns its id, and the function that sets its status. */
async function newAgreement() {
  const { id, serviceId } = await createAgreement(network)
  const set = (status: string) => network.sandbox.control.setAgreementStatus(serviceId, status as 'active')
  return { id, set }
}
async function newPayout() {
  const { id } = await made(mutate(network, 'createPayout', payoutInput()), 'payout')
  return { id, set: (status: string) => network.sandbox.control.setPayoutStatus(id, status as 'completed') }
}

const RECORDS = [
  ['agreement', 'agreements:read', newAgreement, watchPaymentAgreement, ['active', 'suspended']],
  ['payout', 'payouts:read', newPayout, watchPayout, ['processing', 'completed']],
] as const

describe.each(RECORDS)('the updates of an %s, with %s', (name, scope, ...[create, watchRecord, statuses]) => {
  it.each(TRANSPORTS)('are followed over %s, and continued after a cursor', async (transport) => {
    const { id, set } = await create()
    const options = optionsFor(transport, scope)
    const watch = keep((more) => watchRecord(id, { ...options, ...more }))
    await watch.until(isCaughtUp)
    const others = { agreement: null, payout: null, link: null, payment: null }
    expect(watch.updates[0]).toMatchObject({ kind: 'SNAPSHOT', ...others, [name]: { id, status: 'CREATED' } })
    const cursor = watch.updates.at(-1)?.cursor ?? ''
    for (const status of statuses) {
      await set(status)
      await watch.until(({ kind, [name]: record }) => kind === 'EVENT' && record?.status === status.toUpperCase())
    }
    await watch.leave()

    const later = keep((more) => watchRecord(id, { ...options, ...more, after: cursor }))
    await later.until(isCaughtUp)
    await later.leave()
    const events = later.updates.filter(({ kind }) => kind === 'EVENT').map(({ event }) => event?.toStatus)
    expect(events).toEqual(statuses)
  })

  it.each(TRANSPORTS)('are an error over %s where there is none, or not for the caller', async (transport) => {
    const { id } = await create()
    const firstOf = (which: string, of: Scope) => watchRecord(which, optionsFor(transport, of)).next()
    await expect(firstOf('unknown', scope)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(firstOf(id, 'payments:read')).rejects.toMatchObject({
      // Agreements may be the caller's own, so an error would tell that this one is there.
      code: scope === 'agreements:read' ? 'NOT_FOUND' : 'FORBIDDEN',
    })
  })
})
