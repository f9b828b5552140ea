import { afterEach, beforeEach, describe } from 'vitest'
import type { Store } from '../../../src/ledger/store.ts'
import { rounds } from '../../faults/rounds.ts'
import { agreementCallbacksContract } from './agreement-callbacks-contract.ts'
import { agreementReadsContract } from './agreement-reads-contract.ts'
import { agreementsContract } from './agreements-contract.ts'
import { batchesContract } from './batches-contract.ts'
import { NOW } from './builders.ts'
import { bulkReplaysContract } from './bulk-replays-contract.ts'
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
import { notesContract } from './notes-contract.ts'
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
import { statisticsContract } from './statistics-contract.ts'
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
export type Fixture = {
  opened: OpenedStore
  /** The store of the test; another one once it is opened again. */
  current: Store
  /** Stands for the current store. */
  readonly store: Store
  now: Date
  readonly histories: number
}

type Contract = (fixture: Fixture, open: OpenStore) => void

const CONTRACTS: Readonly<Record<string, readonly Contract[]>> = {
  'duplicate payments': [duplicatesContract],
  notes: [notesContract],
  'orders of which nothing is in memory': [coldOrdersContract],
  inbox: [inboxContract],
  'deliveries that need a look': [deliveryBacklogContract],
  'replays of deliveries': [replayContract, bulkReplaysContract],
  concurrency: [concurrencyContract],
  batches: [batchesContract],
  statistics: [statisticsContract],
  sweeps: [sweepContract],
  searches: [searchContract],
  erasures: [erasuresContract],
  imports: [importsContract, importRecordsContract],
  'imports and erasures': [erasedImportsContract],
  log: [logContract],
  commands: [commandsContract],
  'orphan links': [orphansContract],
  links: [linksContract],
  payments: [paymentsContract],
  'reads of payments': [readsContract],
  'reads of links': [readsOfLinksContract],
  'direct payins': [payinsContract],
  'refunds and other commands': [refundsContract],
  agreements: [agreementsContract],
  'callbacks of agreements': [agreementCallbacksContract],
  'reads of agreements': [agreementReadsContract],
  payouts: [payoutsContract],
  'callbacks of payouts': [payoutCallbacksContract],
  'reads of payouts': [payoutReadsContract],
  'gateway payments': [gatewayPaymentsContract],
  'creations of gateway payments without an answer': [gatewaySettlementsContract],
  'signing keys': [signingKeysContract],
  leases: [leasesContract],
  housekeeping: [housekeepingContract],
  'random histories': [randomHistoriesContract, randomAgreementsContract, randomPayoutsContract],
}

/** Tests a store against the contract. `histories` is the number of random histories of each kind. Default: 15, and 200 in a full run. */
export function describeStore(
  name: string,
  open: OpenStore,
  { histories = rounds({ few: 15, many: 200 }) } = {},
): void {
  describe(`store on ${name}`, () => {
    const store = new Proxy({} as Store, { get: (_, part) => Reflect.get(fixture.current, part) })
    const fixture = { now: NOW, histories, store } as Fixture

    beforeEach(async () => {
      fixture.now = NOW
      fixture.opened = await open(() => fixture.now)
      fixture.current = fixture.opened.store
    })

    afterEach(() => fixture.opened.destroy())

    describe.each(Object.entries(CONTRACTS))('%s', (_what, contracts) => {
      for (const contract of contracts) contract(fixture, open)
    })
  })
}
