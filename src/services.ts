import type { AppConfig } from './app.ts'
import type { Services } from './graphql/context.ts'
import { createCursorCodec } from './keys/cursor.ts'
import { createKeyRing, type KeyRing } from './keys/key-ring.ts'
import { startTail } from './live/tail.ts'
import type { Logger } from './log.ts'
import { createRequirementsReader } from './operations/method-requirements.ts'
import { createOperations } from './operations/operations.ts'
import { agreementReads } from './reconcile/agreement-reads.ts'
import { paymentReads } from './reconcile/payment-reads.ts'
import { createReader, type Reader } from './reconcile/reader.ts'
import { startUpkeep } from './reconcile/upkeep.ts'
import { openSqliteStore } from './store/sqlite.ts'
import type { Store } from './store/store.ts'
import { createUpstreamClient, type UpstreamClient } from './upstream/client.ts'
import { createKeyedCache } from './upstream/keyed-cache.ts'
import { createMethodCache } from './upstream/method-cache.ts'
import { createSites, type Sites } from './upstream/sites.ts'
import { createAgreementDoor } from './webhook/agreement-door.ts'
import type { Door } from './webhook/door.ts'
import { createKeepingDoor } from './webhook/keeping-door.ts'
import { createPaymentDoor } from './webhook/payment-door.ts'

/** Everything behind the transports. */
export type Backend = {
  readonly services: Services
  readonly doors: Doors
  /** Takes up what an earlier run left undone. */
  start(): void
  /** Waits until no read of the service is under way. */
  settle(): Promise<void>
  close(): Promise<void>
}

export type Doors = Readonly<Record<'payments' | 'agreements' | 'payouts' | 'gateway-payments', Door>>

type BackendOptions = {
  readonly logger: Logger
  readonly clock: () => Date
  readonly publicUrl: () => string
  /** Called when the store has failed in a way that only a new start mends. */
  readonly onFatal: () => void
}

/** Opens the store and the client of the service, and makes what stands between them and the transports. */
export async function startServices(config: AppConfig, options: BackendOptions): Promise<Backend> {
  const { logger, clock } = options
  const sites = createSites(config.upstream.sites)
  const upstream = createUpstreamClient({ baseUrl: config.upstream.url, sites })
  const store = await openSqliteStore({ path: config.database.path, clock })
  const tail = await startTail({ log: store.log, logger })
  const keys = createKeyRing(config.signingKeys)
  const readers = createReaders({ store, upstream, sites, logger, clock })
  const lists = createMethodLists(upstream, sites)
  const operations = createOperations({
    ...options,
    ...lists,
    store,
    upstream,
    sites,
    keys,
    reader: readers.payments,
    sandbox: config.upstream.environment === 'sandbox',
  })
  const upkeep = startUpkeep({ store, logger, clock, onSwept: readers.payments.wake })
  store.onFatal((failure) => {
    logger.fatal({ err: failure }, 'the store cannot be written to any more')
    options.onFatal()
  })
  const enabled = new Set(sites.all.flatMap((site) => site.currencies))

  return {
    services: {
      ...lists,
      store,
      tail,
      operations,
      keys,
      cursors: createCursorCodec(keys, store.logId),
      clock,
      isEnabled: ({ code }) => enabled.has(code),
    },
    doors: createDoors(config, { store, keys, logger, clock, readers }),
    start() {
      void upkeep.beat()
      readers.payments.wake()
      readers.agreements.wake()
    },
    async settle() {
      await Promise.all([readers.payments.idle(), readers.agreements.idle()])
    },
    async close() {
      tail.close()
      await upkeep.close()
      await Promise.all([readers.payments.close(), readers.agreements.close()])
      await upstream.close()
      await store.close()
    },
  }
}

type ReaderParts = {
  readonly store: Store
  readonly upstream: UpstreamClient
  readonly sites: Sites
  readonly logger: Logger
  readonly clock: () => Date
}

function createReaders({ store, upstream, sites, logger, clock }: ReaderParts) {
  const payments = paymentReads({ reads: store.reads, upstream, sites, clock })
  const agreements = agreementReads({ reads: store.agreementReads, upstream, sites, clock })
  return {
    payments: createReader({ source: payments, logger, clock }),
    agreements: createReader({ source: agreements, logger, clock }),
  }
}

/** The cached lists of methods, and what each method asks for. */
function createMethodLists(upstream: UpstreamClient, sites: Sites) {
  const methods = createMethodCache({ load: (site) => upstream.listPayinMethods(site), sites })
  const directMethods = createMethodCache({ load: (site) => upstream.listDirectPayinMethods(site), sites })
  const payoutMethods = createMethodCache({ load: (site) => upstream.listPayoutMethods(site), sites })
  const requirements = createRequirementsReader({
    upstream,
    sites,
    directMethods,
    payoutMethods,
    createCache: createKeyedCache,
  })
  return { methods, payoutMethods, requirements }
}

type DoorParts = {
  readonly store: Store
  readonly keys: KeyRing
  readonly logger: Logger
  readonly clock: () => Date
  readonly readers: { readonly payments: Pick<Reader<never>, 'wake'>; readonly agreements: Pick<Reader<never>, 'wake'> }
}

function createDoors(config: AppConfig, { store, keys, logger, clock, readers }: DoorParts): Doors {
  const common = { inbox: store.inbox, keys, secrets: config.webhooks.secrets, logger, clock }
  return {
    payments: createPaymentDoor({ ...common, onReadDue: () => readers.payments.wake() }),
    agreements: createAgreementDoor({ ...common, onReadDue: () => readers.agreements.wake() }),
    payouts: createKeepingDoor(common, 'payout'),
    'gateway-payments': createKeepingDoor(common, 'gateway-payment'),
  }
}
