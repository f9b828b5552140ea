import { deliveryKey } from '../encoding/delivery-columns.ts'
import type { DeliveryOutcome, KeptCallback } from '../store.ts'
import type { Db } from '../unit.ts'
import { countAttempt, findDelivery, storeDelivery } from './deliveries.ts'

/** Keeps a callback without an effect: what it tells of is read from the service when somebody asks. */
export async function keepCallback(db: Db, callback: KeptCallback): Promise<DeliveryOutcome> {
  const { subjectId, statusRaw, ...arrival } = callback
  const before = await findDelivery(db, callback.bodyHashes)
  if (before !== null) {
    await countAttempt(db, before, callback.receivedAt)
    return { disposition: before.disposition, repeat: true, readDue: false }
  }
  const subject = subjectId === null ? null : { id: subjectId, statusRaw: statusRaw ?? '' }
  const result = { id: deliveryKey(callback.bodyHashes[0]), disposition: 'NO_CHANGE', eventId: null } as const
  await storeDelivery(db, { ...arrival, body: null }, subject, result)
  return { disposition: 'NO_CHANGE', repeat: false, readDue: false }
}
