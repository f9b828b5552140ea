import { randomBytes, randomInt } from 'node:crypto'
import { isTaken } from '../payments/transitions.ts'
import { newUuid } from '../state/ids.ts'
import type { SandboxSite, SandboxStore } from '../state/sandbox-store.ts'
import { begin, movePayout } from './payout-steps.ts'
import type { PayeeRequest, Payout, PayoutRequest, PayoutTransaction } from './sandbox-payout.ts'

/** Stores a new batch and schedules it: at its own time, or one step of the sandbox clock from now. With `v1`, it is one of v1. */
export function createPayout(
  store: SandboxStore,
  site: SandboxSite,
  request: PayoutRequest,
  v1?: { readonly isRetry: boolean },
): Payout {
  const createdAt = store.clock.now()
  const payout: Payout = {
    uuid: newUuid((uuid) => isTaken(store, uuid)),
    siteId: site.id,
    currency: request.currency,
    v1: v1 && { ...v1, number: newNumber(store) },
    request,
    createdAt,
    transactions: request.payees.map(newTransaction),
    history: [{ status: 'created', at: createdAt, silent: true }],
    status: 'created',
    error: undefined,
    fundsUntil: undefined,
    step: undefined,
    held: undefined,
  }
  store.payouts.set(payout.uuid, payout)
  if (request.scheduledAt !== undefined) void movePayout(store, payout, 'scheduled')
  const startsAt = request.scheduledAt ?? new Date(createdAt.getTime() + store.paceMs)
  payout.step = store.clock.schedule(startsAt, () => begin(store, payout))
  return payout
}

/** Returns the site's v2 batch with this uuid. */
export function findPayout(store: SandboxStore, site: SandboxSite, uuid: string): Payout | undefined {
  const payout = store.payouts.get(uuid)
  return payout?.siteId === site.id && payout.v1 === undefined ? payout : undefined
}

/** Returns the site's v1 batch with this number. */
export function findV1Payout(store: SandboxStore, site: SandboxSite, number: number): Payout | undefined {
  return [...store.payouts.values()].find(({ siteId, v1 }) => siteId === site.id && v1?.number === number)
}

/** Returns the site's batches of one version that were created between the two instants, both inclusive, newest first. */
export function listPayouts(
  store: SandboxStore,
  site: SandboxSite,
  { from, to, isV1 }: { from: Date; to: Date; isV1: boolean },
): Payout[] {
  return [...store.payouts.values()]
    .filter(({ siteId, v1 }) => siteId === site.id && (v1 !== undefined) === isV1)
    .filter(({ createdAt }) => createdAt >= from && createdAt <= to)
    .reverse()
}

/** Cancels a batch that has not started. Returns false when it is not scheduled (gap sheet, section 20). */
export function cancelScheduled(store: SandboxStore, payout: Payout): boolean {
  if (payout.status !== 'scheduled') return false
  void movePayout(store, payout, 'expired')
  return true
}

/** Returns a number that no batch has, nor, most likely, had before a reset: receivers may still know those. */
function newNumber(store: SandboxStore): number {
  const taken = new Set([...store.payouts.values()].map(({ v1 }) => v1?.number))
  for (;;) {
    const number = randomInt(100_000, 2 ** 31)
    if (!taken.has(number)) return number
  }
}

function newTransaction(request: PayeeRequest): PayoutTransaction {
  return {
    ...request,
    uuid: newUuid(() => false),
    balanceId: `${randomBytes(4).toString('hex')}-${randomBytes(4).toString('hex')}`,
    status: 'pending',
    errorMessage: null,
  }
}
