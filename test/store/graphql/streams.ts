import { createLibraryExecutor, createPlannedExecutor } from 'graphql-plan'
import { parseConfig } from '../../../src/config.ts'
import { NO_FLAGS, type PayinMethod } from '../../../src/domain/methods/payin-method.ts'
import { createAdmission } from '../../../src/graphql/admission/admission.ts'
import type { Services } from '../../../src/graphql/context.ts'
import { createEngine, type Engine, type EngineOptions } from '../../../src/graphql/engine/engine.ts'
import { type AnswerStream, nextOf } from '../../../src/graphql/engine/request-outcome.ts'
import { createErrorFormatter } from '../../../src/graphql/error-formatter.ts'
import { createSchema } from '../../../src/graphql/schema/schema.ts'
import { createCursorCodec } from '../../../src/keys/cursor.ts'
import { createKeyRing, Secret } from '../../../src/keys/key-ring.ts'
import type { Store } from '../../../src/ledger/store.ts'
import { createLogger, type Logger } from '../../../src/observability/logger.ts'
import type { FollowServices } from '../../../src/streams/follow.ts'
import type { Tail } from '../../../src/streams/tail.ts'
import { followServices } from '../streams/log.ts'

export const METHOD: PayinMethod = {
  code: 'au_bank_aud',
  usableFor: ['LINK'],
  name: 'Bank transfer',
  currency: 'AUD',
  countryCode: 'AU',
  kind: 'BANK_TRANSFER',
  kindRaw: 'bank',
  minAmount: '1.00',
  maxAmount: '100.00',
  cardBrands: null,
  checkoutLanguages: null,
  networks: null,
  symbol: null,
  logo: null,
  flags: NO_FLAGS,
}

const defaults = parseConfig({})
if (!defaults.ok) throw new Error('There are no defaults.')
const limits = { ...defaults.config.limits, cost: 1_000_000, aliases: 1_000, directives: 1_000, depth: 20 }

/** The schema as the app creates it. */
export const schema = createSchema({ production: false })

/** Returns the services of an engine with streams, for a store and its tail. They do not call the payments API. */
export function streamServices(store: Store, tail: Tail, parts: Partial<FollowServices> = {}): Services {
  const keys = createKeyRing([new Secret('signing-key-of-the-tests-0123456789abcdef')])
  return {
    ...followServices(store, tail, parts),
    store,
    keys,
    cursors: createCursorCodec(store.logId),
    methods: { find: async (code: string) => (code === METHOD.code ? METHOD : null) },
    requirements: { ofPayin: async () => null, payinFlags: async () => NO_FLAGS },
    isEnabled: () => true,
  } as unknown as Services
}

/** Creates an engine that admits every valid operation. */
export function engineOf(
  services: Services,
  parts: Partial<EngineOptions> & { readonly logger?: Logger } = {},
): Engine {
  const { logger = createLogger({ level: 'silent' }), sharesExecutions = true } = parts
  const policy = { limits, introspection: true, routerOnly: false, hideNames: false }
  return createEngine({
    schema,
    services,
    admit: createAdmission({ schema, policy, trusted: null }).admit,
    formatError: createErrorFormatter({ logger, hideNames: null }),
    timeoutMs: limits.timeoutMs,
    sharesExecutions,
    execute: sharesExecutions ? createPlannedExecutor(schema) : createLibraryExecutor(schema),
    publicAnswers: null,
    apollo: { hasPlugins: false, answer: () => Promise.reject(new Error('No traces here.')) },
    logger,
    tracing: null,
    onEnded: () => {},
    onDelivered: () => {},
    ...parts,
  })
}

/** Returns the text of the next answer; null at the end. */
export async function nextText(stream: AnswerStream): Promise<string | null> {
  const next = await nextOf(stream)
  return typeof next === 'string' ? null : next.json
}
