import { expect, it, onTestFinished } from 'vitest'
import type { Caller } from '../../../src/access/caller.ts'
import type { Engine } from '../../../src/graphql/engine/engine.ts'
import type { AnswerStream } from '../../../src/graphql/engine/request-outcome.ts'
import { NO_WAKE_UPS, type WakeListener } from '../../../src/streams/wake-ups.ts'
import { delivery, report, settledLink } from '../contract/builders.ts'
import { openSqliteFixture } from '../contract/sqlite-fixture.ts'
import { tailOf } from '../streams/log.ts'
import { engineOf, nextText, streamServices } from './streams.ts'

const READER: Caller = {
  kind: 'client',
  subject: null,
  identity: null,
  name: null,
  scopes: new Set(['payments:read']),
  expiresAt: Infinity,
}

const UPDATES = `subscription ($after: String) { paymentLinkUpdates(id: "LINK-a", after: $after) {
  kind event { before { version } after { version } payment { version } } payment { version } link { payment { version } } } }`

/** A store without a cache of rows, whose tail hears of events only from `wake`, as of those of another node. Reads of payments, and of events before others, are counted. */
async function setUp() {
  const { store: opened, destroy } = await openSqliteFixture({ cacheRows: false })
  onTestFinished(destroy)
  let reads = 0
  const byIds: typeof opened.payments.byIds = (ids) => {
    reads += 1
    return opened.payments.byIds(ids)
  }
  const previousOfPayments: typeof opened.log.previousOfPayments = (events) => {
    reads += 1
    return opened.log.previousOfPayments(events)
  }
  const store = {
    ...opened,
    payments: { ...opened.payments, byIds },
    log: { ...opened.log, previousOfPayments },
  }
  let wake: WakeListener = () => {}
  const log = { ...store.log, onAppend: () => () => {} }
  const tail = await tailOf(store, { log, wakeUps: { ...NO_WAKE_UPS, onWake: (listener) => (wake = listener) } })
  const services = streamServices(store, tail)
  const engine = engineOf(services)
  await settledLink(store, 'a')
  const tell = (status: string) => store.inbox.receive(delivery(report(status, { paymentId: 'PA' }), { ref: 'a' }))
  const created = services.cursors.encode('log', 1)
  return { store, engine, tell, wake: () => wake(null), reads: () => reads, created }
}

async function follow(engine: Engine, after: string, query = UPDATES): Promise<AnswerStream> {
  const outcome = await engine.run({ query, variables: { after } }, { caller: READER, fromRouter: true })
  if (outcome.kind !== 'stream') throw new Error(JSON.stringify(outcome))
  return outcome
}

async function ask(engine: Engine, query: string): Promise<Record<string, unknown>> {
  const outcome = await engine.run({ query, variables: {} }, { caller: READER, fromRouter: true })
  if (outcome.kind !== 'answer') throw new Error(JSON.stringify(outcome))
  return JSON.parse(outcome.json).data
}

/** Returns the next item of a stream: the versions before and after its event, and the one version that it shows in all places. */
async function next(stream: AnswerStream) {
  const { kind, event, payment, link } = JSON.parse((await nextText(stream)) ?? '').data.paymentLinkUpdates
  expect([link ?? { payment }, event ?? { payment }]).toMatchObject([{ payment }, { payment }])
  const [before, after] = [event?.before?.version ?? null, event?.after?.version ?? null]
  return { kind, before, after, now: payment?.version ?? null }
}

// promise(streams): An object under its id is the newest that the node knows, in responses and items, replayed ones too; a live item
// costs no query for it.
it('an item shows the newest state that the node knows, and no live item costs a query for it', async () => {
  const { engine, tell, wake, reads, created } = await setUp()
  await tell('pending')
  await tell('authorised')
  const [stream, other] = [await follow(engine, created), await follow(engine, created)]
  expect(await next(stream)).toEqual({ kind: 'EVENT', before: null, after: 2, now: 3 })
  await tell('waiting')
  expect(await ask(engine, '{ payment(id: "PA") { version } }')).toEqual({ payment: { version: 4 } })
  // The tail has not heard of it, but the query has read it. What was answered to the first stream is not kept.
  expect(await next(other)).toEqual({ kind: 'EVENT', before: null, after: 2, now: 4 })
  expect(await next(stream)).toEqual({ kind: 'EVENT', before: 2, after: 3, now: 4 })
  expect(await next(stream)).toEqual({ kind: 'CAUGHT_UP', before: null, after: null, now: null })
  const readBefore = reads()
  wake()
  expect(await next(stream)).toEqual({ kind: 'EVENT', before: 3, after: 4, now: 4 })
  await tell('received')
  await tell('in_dispute')
  wake()
  expect(await next(stream)).toEqual({ kind: 'EVENT', before: 4, after: 5, now: 6 })
  expect(await next(stream)).toEqual({ kind: 'EVENT', before: 5, after: 6, now: 6 })
  expect(reads()).toBe(readBefore)
  for (const one of [stream, other]) one.stop()
})

it('a replay reads the payments of a page at once', async () => {
  const { store, engine, reads, created } = await setUp()
  const payments = Array.from({ length: 150 }, (_, n) => `P${n}`)
  for (const paymentId of payments) await store.inbox.receive(delivery(report('pending', { paymentId })))
  const all = 'subscription ($after: String) { paymentEventStream(after: $after) { payment { id } } }'
  const stream = await follow(engine, created, all)
  const shown: string[] = []
  while (shown.length < payments.length)
    shown.push(JSON.parse((await nextText(stream)) ?? '').data.paymentEventStream.payment.id)
  expect([shown, reads()]).toEqual([payments, 1])
  stream.stop()
})

it('an answer shows one state of each object, whatever happens between its reads', async () => {
  const { store, engine, tell } = await setUp()
  await tell('pending')
  const { payments, log } = store
  const changed = Promise.withResolvers<void>()
  store.payments = {
    ...payments,
    async page(...asked) {
      const rows = await payments.page(...asked)
      await tell('received')
      changed.resolve()
      return rows
    },
  }
  store.log = {
    ...log,
    async read(...asked) {
      await changed.promise
      return log.read(...asked)
    },
  }
  const asked = '{ payments { nodes { version } } paymentEvents { nodes { after { version } payment { version } } } }'
  const payment = { version: 2 }
  expect(await ask(engine, asked)).toEqual({
    payments: { nodes: [payment] },
    paymentEvents: {
      nodes: [
        { after: null, payment: null },
        { after: payment, payment },
        { after: { version: 3 }, payment },
      ],
    },
  })
})
