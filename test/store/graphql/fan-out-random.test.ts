import * as fc from 'fast-check'
import { getNamedType, isLeafType, isObjectType, type GraphQLObjectType } from 'graphql'
import { expect, it } from 'vitest'
import { ANONYMOUS, type Caller, ALL_SCOPES, type Scope } from '../../../src/access/caller.ts'
import type { PaymentDetails } from '../../../src/domain/payments/payment-report.ts'
import type { OperationRequest } from '../../../src/graphql/admission/read-request.ts'
import type { Services } from '../../../src/graphql/context.ts'
import type { Engine } from '../../../src/graphql/engine/engine.ts'
import type { RequestOutcome } from '../../../src/graphql/engine/request-outcome.ts'
import { issueStatusToken } from '../../../src/keys/derived-secrets.ts'
import type { Store } from '../../../src/ledger/store.ts'
import { createSliceScheduler } from '../../../src/lib/slice-scheduler.ts'
import { createLogger } from '../../../src/observability/logger.ts'
import type { EventFilter } from '../../../src/store/port.ts'
import { startTail } from '../../../src/streams/tail.ts'
import { documentFor } from '../../rights/selection.ts'
import { agreementReport, callback, delivery, report, settledAgreement, settledLink } from '../contract/builders.ts'
import { openSqliteFixture } from '../contract/sqlite-fixture.ts'
import { turns } from '../streams/log.ts'
import { engineOf, METHOD, nextText, schema, streamServices } from './streams.ts'

const HOUR = 3_600_000

/** Chooses a value for the property, as `fc.gen` provides it. */
type Choose = fc.GeneratorValue

/** Arguments of fields below an item, each as a value or as a variable of the operation. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  'PaymentNextAction.label': ['', '(locale: "ja")', '(locale: $locale)'],
  'PaymentFailure.customerMessage': ['', '(locale: "ja")', '(locale: $locale)'],
  'PayinMethod.accepts': ['(amount: { value: "50", currency: "AUD" })'],
  events: ['(first: 2)', '(first: $first)', '(first: 3, after: $page)'],
}
const DIRECTIVES = ['', '', '', ' @include(if: $shown)', ' @skip(if: $shown)']

/** Returns a random selection of a type's fields and their subfields, up to a depth. Each field occurs once at most. */
function selection(type: GraphQLObjectType, depth: number, choose: Choose): string {
  const fields = Object.values(type.getFields()).flatMap(({ name, type: answers }) => {
    if (choose(fc.nat, { max: 2 }) === 0) return []
    const below = getNamedType(answers)
    if (!isLeafType(below) && (depth === 0 || !isObjectType(below))) return []
    const [first, ...others] = ARGUMENTS[`${type.name}.${name}`] ?? ARGUMENTS[name] ?? ['']
    const text = `${name}${choose(fc.constantFrom, first ?? '', ...others)}${choose(fc.constantFrom, ...DIRECTIVES)}`
    return isObjectType(below) ? [`${text} { ${selection(below, depth - 1, choose)} }`] : [text]
  })
  return ['__typename', ...fields].join(' ')
}

const ITEM = schema.getType('PaymentStreamItem') as GraphQLObjectType

/** Subjects of subscriptions: a root field, the id of the subject, and the filter of its events in the log. */
const SUBJECTS = [
  { field: 'paymentLinkUpdates', id: 'LINK-a', filter: { streamIds: ['link:a'] }, hasToken: true },
  { field: 'paymentLinkUpdates', id: 'LINK-b', filter: { streamIds: ['link:b'] }, hasToken: true },
  { field: 'paymentUpdates', id: 'PA', filter: { streamIds: ['link:a'] }, hasToken: true },
  { field: 'paymentUpdates', id: 'P0', filter: { streamIds: ['payment:P0'] }, hasToken: true },
  { field: 'paymentAgreementUpdates', id: 'AGR1', filter: { streamIds: ['agreement:agr'] }, hasToken: false },
  { field: 'paymentEventStream', id: null, filter: {}, hasToken: false },
  { field: 'paymentEventStream', id: null, filter: { paymentIds: ['PA', 'PB'] }, hasToken: false },
] as const

type Opening = {
  readonly request: OperationRequest
  readonly caller: Caller
  readonly filter: EventFilter
  /** Position after which the stream starts; null: with a snapshot, or with new events only. */
  readonly after: number | null
  readonly isOfAll: boolean
}

/** An operation that many streams share: a root field, and the document with the selection below it. */
type Operation = { readonly field: string; readonly query: string }

const FIELDS = ['paymentLinkUpdates', 'paymentUpdates', 'paymentAgreementUpdates', 'paymentEventStream']
const OWN_VARIABLES = ['$locale: String', '$first: Int! = 3', '$page: String', '$shown: Boolean! = true']

function operation(below: string, choose: Choose): Operation {
  const field = choose(fc.constantFrom, ...FIELDS)
  const args: Record<string, string> = {
    ...(field === 'paymentEventStream' ? { filter: 'PaymentEventFilter' } : { id: 'ID!' }),
    ...(field === 'paymentLinkUpdates' || field === 'paymentUpdates' ? { statusToken: 'String' } : {}),
    after: 'String',
    streamNonce: 'ID',
  }
  const declared = Object.entries(args).map(([name, type]) => `$${name}: ${type}`)
  const used = OWN_VARIABLES.filter((one) => below.includes(one.split(':')[0] ?? ''))
  const passed = Object.keys(args).map((name) => `${name}: $${name}`)
  const query = `subscription (${[...declared, ...used].join(', ')}) { ${field}(${passed.join(', ')}) { ${below} } }`
  return { field, query }
}

function opening(services: Services, head: number, choose: Choose, operations: readonly Operation[]): Opening {
  const { field, query } = choose(fc.constantFrom, ...operations)
  const subject = choose(fc.constantFrom, ...SUBJECTS.filter((one) => one.field === field))
  const after = choose(fc.option, fc.nat({ max: head + 1 }), { nil: null })
  const grant = { subjectId: subject.id ?? '', expiresAt: new Date(services.clock().getTime() + HOUR) }
  const variables = {
    id: subject.id,
    statusToken: subject.hasToken && choose(fc.boolean) ? issueStatusToken(services.keys, grant) : null,
    after: after === null ? null : services.cursors.encode('log', after),
    filter: subject.filter,
    ...choose(fc.constantFrom, {}, { streamNonce: 'one' }, { streamNonce: null }),
    ...choose(fc.constantFrom, {}, { locale: 'ja' }, { locale: null }),
    ...choose(fc.constantFrom, {}, { shown: false }, { first: 1 }),
  }
  return {
    request: { query, variables },
    caller: caller(services, choose),
    filter: subject.filter,
    after,
    isOfAll: subject.id === null,
  }
}

const CALLERS: readonly Scope[][] = [
  [],
  ['payments:read'],
  ['payments:read', 'payments:pii'],
  ['payments:read', 'payments:risk'],
  ['payments:read', 'agreements:read'],
  [...ALL_SCOPES],
]

function caller(services: Services, choose: Choose): Caller {
  if (choose(fc.nat, { max: 4 }) === 0) return ANONYMOUS
  const now = services.clock().getTime()
  return {
    kind: 'client',
    subject: choose(fc.constantFrom, null, 'ada', 'grace'),
    identity: choose(fc.constantFrom, null, 'one', 'other'),
    scopes: new Set(choose(fc.constantFrom, ...CALLERS)),
    expiresAt: choose(fc.nat, { max: 4 }) === 0 ? now - 1 : now + HOUR,
  }
}

const STATUSES = ['pending', 'authorised', 'failed', 'received', 'in_dispute', 'odd_1', 'odd_2']
const CODES = ['card_stolen', 'card_expired', 'amount_too_large', 'never_heard_of']

async function tell(store: Store, count: number, choose: Choose): Promise<void> {
  const what = choose(fc.constantFrom, 'PA', 'PA', 'PB', 'P0', 'AGR1')
  const bytes = String(count)
  if (what === 'AGR1') {
    const statusRaw = choose(fc.constantFrom, 'created', 'active', 'suspended', 'cancelled', 'odd')
    const payer = { name: 'Ada', bsb: '123-456', accountNumberMasked: '***1', payIdMasked: null, payIdType: null }
    await store.inbox.receiveAgreement(callback(agreementReport(statusRaw, { payer }), { bytes }))
    return
  }
  const statusRaw = choose(fc.constantFrom, ...STATUSES)
  const details: Partial<PaymentDetails> = {
    failureCode: statusRaw === 'failed' ? choose(fc.constantFrom, ...CODES) : null,
    methodRaw: choose(fc.constantFrom, null, METHOD.code, 'card'),
    card: { brand: 'visa', type: 'credit', last4: '4242', countryCode: 'AU' },
    instructions: null,
  }
  const payer = { name: 'Ada', email: 'ada@example.test' }
  const ref = what === 'P0' ? null : what.slice(1).toLowerCase()
  await store.inbox.receive(delivery(report(statusRaw, { paymentId: what, payer, details }), { bytes, ref }))
}

type Told = { readonly texts: string[]; isOver: boolean }

/** One stream in both engines: with shared executions, and with executions for its own caller only. */
type Pair = {
  readonly opening: Opening
  readonly head: number
  readonly told: readonly [Told, Told]
  readonly outcomes: readonly [RequestOutcome, RequestOutcome]
}

async function open(engines: readonly [Engine, Engine], asked: Opening, head: number): Promise<Pair> {
  const run = (engine: Engine) => engine.run(asked.request, { caller: asked.caller, fromRouter: true })
  const outcomes = [await run(engines[0]), await run(engines[1])] as const
  const told: readonly [Told, Told] = [
    { texts: [], isOver: false },
    { texts: [], isOver: false },
  ]
  for (const [index, outcome] of outcomes.entries())
    if (outcome.kind === 'stream') void collect(outcome, told[index === 0 ? 0 : 1])
  return { opening: asked, head, told, outcomes }
}

async function collect(stream: Extract<RequestOutcome, { kind: 'stream' }>, told: Told): Promise<void> {
  for (let text = await nextText(stream); text !== null; text = await nextText(stream)) told.texts.push(text)
  told.isOver = true
}

/** Returns the number of answers of a stream that has no more events to send. */
async function expectedCount(store: Store, { opening: { filter, after, isOfAll }, head }: Pair): Promise<number> {
  if (after !== null && after > head) return 1
  const events = (await store.log.read(after ?? head, 1_000, filter)).events
  return events.length + (after === null && !isOfAll ? 2 : 1)
}

async function expectSame(store: Store, pairs: readonly Pair[]): Promise<number> {
  let compared = 0
  for (const pair of pairs) {
    const [shared, own] = pair.outcomes
    // Streams are compared by their answers, and refusals directly.
    expect(own.kind === 'stream' ? shared.kind : shared).toEqual(own.kind === 'stream' ? own.kind : own)
    if (own.kind !== 'stream') continue
    const count = await expectedCount(store, pair)
    while (pair.told.some(({ texts, isOver }) => texts.length < count && !isOver)) await turns(1)
    // The end of a stream follows its last item in a separate turn.
    for (let turn = 0; turn < 50 && pair.told[0].isOver !== pair.told[1].isOver; turn += 1) await turns(1)
    expect(pair.told[0]).toEqual(pair.told[1])
    // An internal error would have a different id in each engine.
    expect(pair.told[1].texts.join('')).not.toContain('INTERNAL_SERVER_ERROR')
    // A stream whose right has expired ends earlier.
    expect(pair.told[1].isOver || pair.told[1].texts.length === count).toBe(true)
    compared += pair.told[1].texts.length
  }
  return compared
}

/** Returns all fields below a stream's item, with the fields of each type at its first occurrence. */
function everything(): string {
  const { query } = documentFor({ coordinate: 'Subscription.paymentUpdates', variables: { id: '' }, depth: 9 })
  return query.slice(query.indexOf('{', query.indexOf('paymentUpdates')) + 1, query.lastIndexOf('}', query.length - 3))
}

it('a stream gets the same bytes, whether its executions are shared or its own, whatever rights are mixed', async () => {
  let compared = 0
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (choose) => {
      const { store, destroy } = await openSqliteFixture()
      const logger = createLogger({ level: 'silent' })
      const scheduler = createSliceScheduler()
      const tail = await startTail({ log: store.log, logger, scheduler, pollMs: 600_000 })
      const now = new Date()
      const services = streamServices(store, tail, { clock: () => now, scheduler })
      const engines = [engineOf(services), engineOf(services, { sharesExecutions: false })] as const
      try {
        await settledLink(store, 'a', { ownerId: 'ada', methodCode: METHOD.code })
        await settledLink(store, 'b', { expiresAt: now.toISOString() })
        await settledAgreement(store)
        await store.inbox.receive(delivery(report('pending', { paymentId: 'PA' }), { ref: 'a' }))
        await store.inbox.receive(delivery(report('pending', { paymentId: 'P0' })))
        const random = () => selection(ITEM, choose(fc.nat, { max: 3 }), choose)
        const operations = [operation(everything(), choose), operation(random(), choose)]
        const pairs: Pair[] = []
        const steps = choose(fc.integer, { min: 1, max: 6 })
        for (let step = 0; step < steps; step += 1) {
          const head = await store.log.head()
          const opens = choose(fc.nat, { max: 8 })
          for (let count = 0; count < opens; count += 1)
            pairs.push(await open(engines, opening(services, head, choose, operations), head))
          await expectSame(store, pairs)
          await tell(store, step, choose)
          compared += await expectSame(store, pairs)
        }
        for (const { outcomes } of pairs) for (const outcome of outcomes) if (outcome.kind === 'stream') outcome.stop()
        expect(tail.listeners).toBe(0)
      } finally {
        tail.close()
        await destroy()
      }
    }),
    { numRuns: 20, endOnFailure: true },
  )
  expect(compared).toBeGreaterThan(200)
})
