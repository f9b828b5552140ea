import type { Inbox } from '../store.ts'
import type { Db, Write } from '../unit.ts'
import { subjectOf } from './deliveries.ts'
import { deliveryBacklog } from './delivery-backlog.ts'
import { findDeliveries, pageOfDeliveries } from './inbox-records.ts'
import { keepCallback } from './keep-callback.ts'
import { receiveAgreement } from './receive-agreement.ts'
import { receiveDelivery } from './receive-delivery.ts'
import { knowsRef } from './refs.ts'
import { replayDelivery } from './replay-delivery.ts'

/** The webhooks as they came in. `lists` reads beside the event loop where it can. */
export function createInbox(reader: Db, lists: Db, write: Write): Inbox {
  return {
    receive: (delivery) => write((unit) => receiveDelivery(unit, delivery)),
    receiveAgreement: (callback) => write((unit) => receiveAgreement(unit, callback)),
    keep: (callback) => write(({ db }) => keepCallback(db, callback)),
    replay: (replay) => replayDelivery(write, replay),
    subjectOf: (ref) => subjectOf(reader, ref),
    knowsRef: (ref, kinds) => knowsRef(reader, ref, kinds),
    byIds: (ids) => findDeliveries(reader, ids),
    page: (page, filter) => pageOfDeliveries(lists, page, filter),
    backlog: () => deliveryBacklog(lists),
  }
}
