import { beforeAll, expect, it } from 'vitest'
import { type Transport, watchPayout } from '../../packages/client/src/index.ts'
import type { Scope } from '../../src/access/caller.ts'
import { payoutInput } from '../support/inputs.ts'
import { made, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'
import { isCaughtUp, keep, QUICK } from './watching.ts'

const TRANSPORTS: readonly Transport[] = ['socket', 'sse', 'polling']

let network: Network
beforeAll(async () => {
  network = await startNetwork({ sandbox: BY_HAND })
  return () => network.close()
})

const create = async () => (await made(mutate(network, 'createPayout', payoutInput()), 'payout')).id

const optionsFor = (transport: Transport, scopes: Scope[] = ['payouts:read']) => ({
  url: `${network.app.url}/graphql`,
  token: () => network.token({ scopes }),
  transports: [transport],
  pollMs: 10,
  timing: QUICK,
})

it.each(TRANSPORTS)('a payout is followed over %s, and continued after a cursor', async (transport) => {
  const id = await create()
  const options = optionsFor(transport)
  const watch = keep((more) => watchPayout(id, { ...options, ...more }))
  await watch.until(isCaughtUp)
  expect(watch.updates[0]).toMatchObject({
    kind: 'SNAPSHOT',
    payout: { id, status: 'CREATED', transactions: [{ statusRaw: 'pending' }, {}] },
    agreement: null,
    payment: null,
  })
  const cursor = watch.updates.at(-1)?.cursor ?? ''
  await network.sandbox.control.setPayoutStatus(id, 'processing')
  const moved = await watch.until(({ kind, payout }) => kind === 'EVENT' && payout?.status === 'PROCESSING')
  expect(moved).toMatchObject({ event: { fromStatus: 'created', toStatus: 'processing' } })
  await network.sandbox.control.setPayoutStatus(id, 'completed')
  await watch.until(({ payout }) => payout?.status === 'COMPLETED')
  await watch.leave()

  const later = keep((more) => watchPayout(id, { ...options, ...more, after: cursor }))
  await later.until(isCaughtUp)
  await later.leave()
  const statuses = later.updates.filter(({ kind }) => kind === 'EVENT').map(({ event }) => event?.toStatus)
  expect(statuses).toEqual(['processing', 'completed'])
})

it.each(TRANSPORTS)('a payout that is not there, or not for the caller, is an error over %s', async (transport) => {
  const id = await create()
  const firstOf = (which: string, scopes?: Scope[]) => watchPayout(which, optionsFor(transport, scopes)).next()
  await expect(firstOf('unknown')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(firstOf(id, ['payments:read'])).rejects.toMatchObject({ code: 'FORBIDDEN' })
})
