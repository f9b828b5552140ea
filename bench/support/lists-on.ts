import { NO_BRANCHES } from '../../src/store/create-database.ts'
import type { Db } from '../../src/store/group-commit.ts'
import { inboxQueries } from '../../src/store/queries/deliveries/inbox.ts'
import { createEventLog } from '../../src/store/queries/log-queries.ts'
import { createLinkStore, createPaymentStore } from '../../src/store/queries/payment-queries.ts'
import type { PositionFunction } from '../../src/store/queries/payment-search.ts'
import {
  createAgreementStore,
  createGatewayPaymentStore,
  createPayoutStore,
} from '../../src/store/queries/subject-queries.ts'
import { type Filling, instantOf } from './fill-database.ts'
import type { Lists } from './list-cases.ts'

/** Creates the lists of a filled database on one connection. Their clock is 3,500 seconds after the last payment. */
export function listsOn(db: Db, filling: Filling, position: PositionFunction): Lists {
  const now = new Date(instantOf(filling, filling.payments) + 3_500_000)
  return {
    payments: createPaymentStore({ reader: db, lists: db, cache: null, position }),
    links: createLinkStore({ reader: db, lists: db, cache: null, now: () => now }),
    agreements: createAgreementStore(db, db),
    payouts: createPayoutStore(db, db),
    gatewayPayments: createGatewayPaymentStore(db, db),
    log: createEventLog(db, db, { onAppend: () => () => {}, onBranch: NO_BRANCHES.onBranch }),
    inbox: inboxQueries(db, db),
  }
}
