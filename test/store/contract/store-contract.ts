import { afterEach, beforeEach, describe } from 'vitest'
import type { Store } from '../../../src/ledger/store.ts'
import { rounds } from '../../faults/rounds.ts'
import { agreementCallbacksContract } from './agreement-callbacks-contract.ts'
import { agreementReadsContract } from './agreement-reads-contract.ts'
import { agreementsContract } from './agreements-contract.ts'
import { batchesContract } from './batches-contract.ts'
import { NOW } from './builders.ts'
import { coldOrdersContract } from './cold-orders-contract.ts'
import { commandsContract } from './commands-contract.ts'
import { concurrencyContract } from './concurrency-contract.ts'
import { deliveryBacklogContract } from './delivery-backlog-contract.ts'
import { duplicatesContract } from './duplicates-contract.ts'
import { erasedImportsContract } from './erased-imports-contract.ts'
import { erasuresContract } from './erasures-contract.ts'
import { gatewayPaymentsContract } from './gateway-payments-contract.ts'
import { gatewaySettlementsContract } from './gateway-settlements-contract.ts'
import { housekeepingContract } from './housekeeping-contract.ts'
import { importRecordsContract } from './import-records-contract.ts'
import { importsContract } from './imports-contract.ts'
import { inboxContract } from './inbox-contract.ts'
import { leasesContract } from './leases-contract.ts'
import { linksContract } from './links-contract.ts'
import { logContract } from './log-contract.ts'
import { orphansContract } from './orphans-contract.ts'
import { payinsContract } from './payins-contract.ts'
import { paymentsContract } from './payments-contract.ts'
import { payoutCallbacksContract } from './payout-callbacks-contract.ts'
import { payoutReadsContract } from './payout-reads-contract.ts'
import { payoutsContract } from './payouts-contract.ts'
import { randomAgreementsContract } from './random-agreements-contract.ts'
import { randomHistoriesContract } from './random-histories-contract.ts'
import { randomPayoutsContract } from './random-payouts-contract.ts'
import { readsContract } from './reads-contract.ts'
import { readsOfLinksContract } from './reads-of-links-contract.ts'
import { refundsContract } from './refunds-contract.ts'
import { replayContract } from './replay-contract.ts'
import { searchContract } from './search-contract.ts'
import { signingKeysContract } from './signing-keys-contract.ts'
import { sweepContract } from './sweep-contract.ts'

/** A store on its own database. */
export type OpenedStore = {
  readonly store: Store
  /** Closes the store and opens the same database again. */
  reopen(): Promise<Store>
  /** Closes the store and removes its database. */
  destroy(): Promise<void>
}

/** Opens a store on an empty database. */
export type OpenStore = (clock: () => Date) => Promise<OpenedStore>

/** The state of each test of a contract; the clock stands at `NOW` until a test sets it. */
export type Fixture = { opened: OpenedStore; store: Store; now: Date; readonly histories: number }

/** Tests a store against the contract. `histories` is the number of random histories of each kind. Default: 15, and 200 in a full run. */
export function describeStore(
  name: string,
  open: OpenStore,
  { histories = rounds({ few: 15, many: 200 }) } = {},
): void {
  describe(`store on ${name}`, () => {
    const fixture = { now: NOW, histories } as Fixture

    beforeEach(async () => {
      fixture.now = NOW
      fixture.opened = await open(() => fixture.now)
      fixture.store = fixture.opened.store
    })

    afterEach(() => fixture.opened.destroy())

    describe('duplicate payments', () => {
      duplicatesContract(fixture)
    })
    describe('orders of which nothing is in memory', () => {
      coldOrdersContract(fixture)
    })
    describe('inbox', () => {
      inboxContract(fixture)
    })
    describe('deliveries that need a look', () => {
      deliveryBacklogContract(fixture)
    })
    describe('replays of deliveries', () => {
      replayContract(fixture)
    })
    describe('concurrency', () => {
      concurrencyContract(fixture)
    })
    describe('batches', () => {
      batchesContract(fixture, open)
    })
    describe('sweeps', () => {
      sweepContract(fixture)
    })
    describe('searches', () => {
      searchContract(fixture)
    })
    describe('erasures', () => {
      erasuresContract(fixture)
    })
    describe('imports', () => {
      importsContract(fixture)
      importRecordsContract(fixture)
    })
    describe('imports and erasures', () => {
      erasedImportsContract(fixture)
    })
    describe('log', () => {
      logContract(fixture)
    })
    describe('commands', () => {
      commandsContract(fixture)
    })
    describe('orphan links', () => {
      orphansContract(fixture)
    })
    describe('links', () => {
      linksContract(fixture)
    })
    describe('payments', () => {
      paymentsContract(fixture)
    })
    describe('reads of payments', () => {
      readsContract(fixture)
    })
    describe('reads of links', () => {
      readsOfLinksContract(fixture)
    })
    describe('direct payins', () => {
      payinsContract(fixture)
    })
    describe('refunds and other commands', () => {
      refundsContract(fixture)
    })
    describe('agreements', () => {
      agreementsContract(fixture)
    })
    describe('callbacks of agreements', () => {
      agreementCallbacksContract(fixture)
    })
    describe('reads of agreements', () => {
      agreementReadsContract(fixture)
    })
    describe('payouts', () => {
      payoutsContract(fixture)
    })
    describe('callbacks of payouts', () => {
      payoutCallbacksContract(fixture)
    })
    describe('reads of payouts', () => {
      payoutReadsContract(fixture)
    })
    describe('gateway payments', () => {
      gatewayPaymentsContract(fixture)
    })
    describe('creations of gateway payments without an answer', () => {
      gatewaySettlementsContract(fixture)
    })
    describe('signing keys', () => {
      signingKeysContract(fixture)
    })
    describe('leases', () => {
      leasesContract(fixture)
    })
    describe('housekeeping', () => {
      housekeepingContract(fixture)
    })
    describe('random histories', () => {
      randomHistoriesContract(fixture, open)
      randomAgreementsContract(fixture, open)
      randomPayoutsContract(fixture, open)
    })
  })
}
