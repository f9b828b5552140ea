/**
 * Ingest, resume, look-ups by id and lists of stores with 10,000, 1,000,000 and 10,000,000 events, and how much slower each is than on the
 * store before it: `npm run bench -- growth [options]`. All events are spread over 24 months, as many as PostgreSQL has partitions; another
 * store of the smallest size has one month, which shows what the partitions cost. Stores are filled by bulk statements: the largest takes
 * about 15 GB and some ten minutes on each database. Everything is removed at the end.
 *
 *   --databases <list>   any of `sqlite,postgres`; default: both
 *   --events <list>      sizes; default 10000,1000000,10000000
 *   --months <n>         months over which the events are spread; default 24
 *   --rounds <n>         rounds in which the stores take turns; default 15
 *   --page <path>        page for the figures; default: docs/performance.md
 */
import { parseArgs } from 'node:util'
import type { Store } from '../src/ledger/store.ts'
import { findPostgres } from '../test/support/postgres.ts'
import { openPostgresStore, openSqliteStore } from '../test/support/store.ts'
import { shown, table } from './support/figures.ts'
import { type Filling, fillingOf, instantOf, linkId, paymentId } from './support/fill-database.ts'
import { listCases } from './support/list-cases.ts'
import { receiveLaterWebhooks, receivePaymentWebhooks } from './support/payment-webhooks.ts'
import { describeMachine, writeSection } from './support/performance-page.ts'
import { createPostgres, createSqlite } from './support/webhooks/databases.ts'

const EVENTS_PER_PAYMENT = 5.5
const MONTH_MS = 30.44 * 24 * 3_600_000
const GOAL = 1.2
/** A measurement above the goal is repeated: what is really slower is slower each time. */
const TRIES = 3
/** Webhooks of new payments, and of old ones, per measurement. */
const INGESTED = 64
/** Ids per look-up. */
const IDS = 20
const PAGE = 101

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    databases: { type: 'string', default: 'sqlite,postgres' },
    events: { type: 'string', default: '10000,1000000,10000000' },
    months: { type: 'string', default: '24' },
    rounds: { type: 'string', default: '15' },
    page: { type: 'string', default: 'docs/performance.md' },
  },
})
const months = Number(values.months)
const rounds = Number(values.rounds)
const sizes = values.events.split(',').map(Number)

/** A filled store. */
type Grown = {
  readonly filling: Filling
  readonly store: Store
  readonly bytes: number
  close(): Promise<void>
}

/** One thing that is measured; `run` may be repeated. Returns the number of rows that it has read, if it reads. */
type Work = { readonly name: string; readonly run: (grown: Grown, round: number) => Promise<number | void> }

function progress(step: string): void {
  console.error(`${Math.round(performance.now() / 1_000)} s: ${step}`)
}

const clockOf = (filling: Filling) => new Date(instantOf(filling, filling.payments) + 60_000)

async function grow(kind: string, filling: Filling): Promise<Grown> {
  const server = kind === 'sqlite' ? null : await findPostgres()
  if (kind !== 'sqlite' && server === null) throw new Error('There is no PostgreSQL server: pass --databases sqlite.')
  const database = server === null ? await createSqlite(filling) : await createPostgres(server, filling)
  const bytes = await database.size()
  const clock = () => clockOf(filling)
  const store = await (server === null
    ? openSqliteStore({ path: database.url.slice('file:'.length), clock })
    : openPostgresStore({ url: database.url, clock }))
  const close = async () => {
    await store.close()
    await database.remove()
  }
  return { filling, store, bytes, close }
}

/** Returns ids spread over the whole store, other ones in each round. */
function spread({ payments }: Filling, round: number, idOf: (n: number) => string, count = IDS): string[] {
  return Array.from({ length: count }, (_, n) =>
    idOf(1 + Math.floor(((n + 0.37 + round * 0.061) % count) * (payments / count))),
  )
}

function works(): Work[] {
  const head = (filling: Filling) => filling.payments * 6
  return [
    {
      name: `${INGESTED * 4} webhooks of new payments`,
      run: ({ store, filling }) => receivePaymentWebhooks(store, INGESTED, clockOf(filling)),
    },
    {
      name: `${INGESTED} webhooks of payments of all months`,
      run: ({ store, filling }, round) =>
        receiveLaterWebhooks(store, spread(filling, round, paymentId, INGESTED), clockOf(filling)),
    },
    {
      name: 'resume of all streams, 500 events before the head',
      run: async ({ store, filling }) => (await store.log.read(head(filling) - 500, 1_000)).events.length,
    },
    {
      name: 'resume of all streams, from the middle, 1,000 events',
      run: async ({ store, filling }) => (await store.log.read(Math.floor(head(filling) / 2), 1_000)).events.length,
    },
    {
      name: `resume of ${IDS} streams, one after the other`,
      async run({ store, filling }, round) {
        for (const id of spread(filling, round, (n) => `link:ref-${n}`))
          await store.log.read(0, 100, { streamIds: [id] })
      },
    },
    {
      name: `${IDS} payments by id`,
      run: async ({ store, filling }, round) => (await store.payments.byIds(spread(filling, round, paymentId))).length,
    },
    {
      name: `${IDS} links by id`,
      run: async ({ store, filling }, round) => (await store.links.byIds(spread(filling, round, linkId))).length,
    },
    {
      name: `${IDS} events by id`,
      run: async ({ store, filling }, round) =>
        (await store.log.byIds(spread(filling, round, (n) => `link:ref-${n}.3`))).length,
    },
    {
      name: `${IDS} deliveries by id`,
      run: async ({ store, filling }, round) =>
        (await store.inbox.byIds(spread(filling, round, (n) => `D-${n}-2`))).length,
    },
  ]
}

/** Pages of every list, without a condition and with each condition alone, from the start and from the middle. */
function pages(filling: Filling): Work[] {
  return listCases(filling)
    .filter(({ filter, keys }) => Object.keys(filter).length <= 1 && keys <= IDS)
    .map((listCase) => ({
      name: listCase.name,
      run: async ({ store }) => (await listCase.read(store, PAGE)).rows.length,
    }))
}

/** Milliseconds per store: the lower quartile, which excludes most of what other programs add. */
type Times = readonly number[]

/** Measures all stores in turns; null if they return pages of different lengths, which would be compared instead of the stores. */
async function measure(grown: readonly Grown[], workOf: (index: number) => Work): Promise<Times | null> {
  const all = grown.map((): number[] => [])
  const rows = new Set<number | void>()
  for (let round = 0; round <= rounds; round += 1)
    for (const [index, each] of grown.entries()) {
      const begun = performance.now()
      const read = await workOf(index).run(each, round)
      if (round === 0) rows.add(read)
      // The first round fills caches and prepares statements.
      if (round > 0) all[index]?.push(performance.now() - begun)
    }
  if (rows.size > 1) return null
  return all.map((times) => times.toSorted((a, b) => a - b)[times.length >> 2] ?? Number.NaN)
}

/** How much slower each store is than the one before it; of the first one, than the store with one month. */
const ratiosOf = (times: Times): number[] => times.slice(1).map((time, index) => time / (times[index] ?? Number.NaN))

/** The highest ratio of one size to the size before. */
const worst = (times: Times): number => Math.max(...ratiosOf(times).slice(1))

async function measureWork(grown: readonly Grown[], workOf: (index: number) => Work): Promise<Times | null> {
  let best = await measure(grown, workOf)
  for (let again = 1; best !== null && again < TRIES && worst(best) > GOAL; again += 1) {
    const other = await measure(grown, workOf)
    if (other !== null && worst(other) < worst(best)) best = other
  }
  return best
}

/** Of one database: the sentence for the page, and the table that is printed. */
type Report = { readonly summary: string; readonly cases: string }

async function report(kind: string): Promise<Report> {
  const fillings = sizes.map((events) => {
    const payments = Math.round(events / EVENTS_PER_PAYMENT)
    return fillingOf(payments, (months * MONTH_MS) / payments)
  })
  const [least] = fillings
  if (least === undefined) throw new Error('There are no sizes.')
  const oneMonth = fillingOf(least.payments, MONTH_MS / 2 / least.payments)
  const grown: Grown[] = []
  try {
    for (const filling of [oneMonth, ...fillings]) {
      progress(`filling ${kind} with ${shown(filling.payments)} payments`)
      grown.push(await grow(kind, filling))
    }
    const common = works().map((work) => ({ name: work.name, workOf: () => work }))
    const pagesOf = grown.map(({ filling }) => pages(filling))
    const lists = (pagesOf[0] ?? []).map(({ name }, place) => ({
      name,
      workOf: (index: number) => pagesOf[index]?.[place] ?? { name, run: async () => {} },
    }))
    const rows: { readonly name: string; readonly times: Times }[] = []
    for (const { name, workOf } of [...lists, ...common]) {
      progress(`${kind}: ${name}`)
      const times = await measureWork(grown, workOf)
      if (times !== null) rows.push({ name, times })
    }
    return describe(kind, grown, rows, new Set(common.map(({ name }) => name)))
  } finally {
    for (const { close } of grown) await close()
  }
}

function describe(
  kind: string,
  grown: readonly Grown[],
  rows: readonly { readonly name: string; readonly times: Times }[],
  always: ReadonlySet<string>,
): Report {
  const titles = ['one month', ...sizes.map((events) => shown(events))]
  const header = ['ms', ...titles, ...sizes.map((events, index) => `${shown(events)} ÷ ${titles[index]}`)]
  const above = rows.filter(({ times }) => worst(times) > GOAL)
  const listed = rows.filter((row) => always.has(row.name) || above.includes(row))
  const medians = sizes.map((_, index) => {
    const ratios = rows.map(({ times }) => ratiosOf(times)[index] ?? Number.NaN).toSorted((a, b) => a - b)
    return shown(ratios[ratios.length >> 1] ?? Number.NaN, 2)
  })
  const cells = listed.map(({ name, times }) =>
    [name].concat(
      times.map((time) => shown(time, 2)),
      ratiosOf(times).map((ratio) => shown(ratio, 2)),
    ),
  )
  return {
    summary: `${kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}: ${grown.map(({ bytes }, index) => `${titles[index]}: ${shown(bytes / 2 ** 20)} MiB`).join('; ')}. ${rows.length} cases whose pages are equally long, of which ${above.length} are above ${GOAL} from one size to the next; median ratios ${medians.join(', ')}.`,
    cases: `The first ${always.size}, and every case above:\n\n${table(header, cells)}`,
  }
}

const parts: Report[] = []
for (const kind of values.databases.split(',')) parts.push(await report(kind))
const asked = process.argv
  .slice(3)
  .filter((argument, index, all) => argument !== '--page' && all[index - 1] !== '--page')
const summary = [
  '## Growth',
  `\`npm run bench -- ${['growth', ...asked].join(' ')}\`: ${describeMachine()}.`,
  `Stores whose events are spread over ${months} months, and one of the smallest size with all of them in one month. Milliseconds, the lower quartile of ${rounds} rounds in which the stores take turns, and the ratio to the store before.`,
  ...parts.map((part) => part.summary),
].join('\n\n')
console.log([summary, ...parts.map(({ cases }) => cases)].join('\n\n'))
writeSection(values.page, 'growth', summary)
