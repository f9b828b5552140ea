import type { AppConfig } from './app.ts'
import type { Services } from './graphql/context.ts'
import { createCursorCodec } from './keys/cursor.ts'
import { createKeyRing } from './keys/key-ring.ts'
import { startTail } from './live/tail.ts'
import type { Logger } from './log.ts'
import { createOperations } from './operations/operations.ts'
import { createReader } from './reconcile/reader.ts'
import type { ReadSubject } from './store/store.ts'
import { openSqliteStore } from './store/sqlite.ts'
import { createUpstreamClient, type UpstreamClient } from './upstream/client.ts'
import { notSent } from './upstream/faults.ts'
import { createMethodCache } from './upstream/method-cache.ts'
import { createSites, type Sites } from './upstream/sites.ts'
import { createPaymentDoor, type PaymentDoor } from './webhook/payment-door.ts'

/** Everything behind the transports. */
export type Backend = {
  readonly services: Services
  readonly door: PaymentDoor
  /** Takes up what an earlier run left undone. */
  start(): void
  /** Waits until no read of the service is under way. */
  settle(): Promise<void>
  close(): Promise<void>
}

type BackendOptions = {
  readonly logger: Logger
  readonly clock: () => Date
  readonly publicUrl: () => string
}

/** Opens the store and the client of the service, and makes what stands between them and the transports. */
export async function startServices(config: AppConfig, options: BackendOptions): Promise<Backend> {
  const { logger, clock, publicUrl } = options
  const sites = createSites(config.upstream.sites)
  const upstream = createUpstreamClient({ baseUrl: config.upstream.url, sites })
  const store = await openSqliteStore({ path: config.database.path, clock })
  const tail = await startTail({ log: store.log, logger })
  const keys = createKeyRing(config.signingKeys)
  const methods = createMethodCache({ load: (site) => upstream.listPayinMethods(site), sites })
  const reader = createReader({ reads: store.reads, ask: askService(upstream, sites), logger, clock })
  const operations = createOperations({ store, reader, upstream, methods, sites, keys, logger, clock, publicUrl })
  const door = createPaymentDoor({
    inbox: store.inbox,
    keys,
    secrets: config.webhooks.secrets,
    logger,
    clock,
    onReadDue: reader.wake,
  })
  const enabled = new Set(sites.all.flatMap((site) => site.currencies))

  return {
    services: {
      store,
      tail,
      methods,
      operations,
      keys,
      cursors: createCursorCodec(keys, store.logId),
      clock,
      isEnabled: ({ code }) => enabled.has(code),
    },
    door,
    start: () => reader.wake(),
    settle: () => reader.idle(),
    async close() {
      tail.close()
      await reader.close()
      await upstream.close()
      await store.close()
    },
  }
}

/** A link is read with the credentials that made it; a payment without a link, with those of its currency. */
function askService(upstream: UpstreamClient, sites: Sites) {
  return async ({ link, paymentId, currency }: ReadSubject) => {
    const site = link === null ? sites.forCurrency(currency ?? '') : sites.byId(link.site)
    if (site === null) throw notSent('invalid-request', 'No credentials are configured for it.')
    return upstream.getPayinLink(site, link?.id ?? paymentId ?? '')
  }
}
