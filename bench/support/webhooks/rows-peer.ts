/**
 * The least that a stored webhook costs on the product's tables: a Fastify server that verifies the signature, and writes the rows that the
 * product writes, with the product's statements, in one commit for all webhooks that came meanwhile. It looks nothing up and decides nothing. It
 * listens on PORT, and writes the SQLite file DATABASE.
 */
import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import Fastify from 'fastify'
import { parseExactJson } from 'payments-subgraph-lib/exact-json'
import { DELIVERIES } from '../../../src/store/rows/delivery-rows.ts'
import { EVENTS } from '../../../src/store/rows/log-rows.ts'
import { PAYMENT_PAYERS, PAYMENTS } from '../../../src/store/rows/payment-rows.ts'
import type { Change } from '../../../src/store/rows/rows.ts'
import type { AnySpec, StoredRow } from '../../../src/store/rows/table.ts'
import { openLogSync } from '../../../src/store/sqlite/fsync-guard.ts'
import { createCheckpoint, openWriter, transactionSteps } from '../../../src/store/sqlite/sqlite-connection.ts'
import { sqliteTransaction } from '../../../src/store/sqlite/sqlite-dialect.ts'
import { withoutSecrets } from '../../../src/upstream/wire/values/redact.ts'
import { readPaymentReport } from '../../../src/upstream/wire/wire-payment.ts'
import { SIGNATURE_HEADER, verify } from '../../../src/webhooks/signature.ts'
import { openSqliteStore } from '../../../test/support/store.ts'
import { WEBHOOK_SECRET } from '../processes.ts'
import { bodyOf, STATUSES, WEBHOOK_PATH } from './requests.ts'

const SPECS: readonly AnySpec[] = [PAYMENTS, PAYMENT_PAYERS, DELIVERIES, EVENTS]
const SAMPLE = randomUUID()
/** Characters of the parts of a payment's id that its webhooks repeat. */
const PARTS = [SAMPLE.length, 13, 8]
/** Characters of the id of a delivery. */
const DELIVERY_ID = 22

/** What one webhook writes to one table. */
type Write = { readonly spec: AnySpec; readonly row: StoredRow; readonly columns: readonly string[] | null }

const path = String(process.env['DATABASE'])
const writesOf = await sampleWrites()
const database = await openWriter(path, { connect: (file) => new DatabaseSync(file), now: new Date(), options: {} })
const log = openLogSync(path)
const steps = transactionSteps(database)
const transaction = sqliteTransaction(database)
const checkpoint = createCheckpoint(database, null)
let position = Number(database.prepare('SELECT max(position) AS position FROM events').get()?.['position'])

type Arrived = { readonly writes: readonly Write[]; readonly stored: () => void }
let arrived: Arrived[] = []
let storing = false

async function storeAll(): Promise<void> {
  storing = true
  while (arrived.length > 0) {
    const batch = arrived
    arrived = []
    steps.begin()
    await transaction.store(SPECS.map((spec) => changeOf(spec, batch)))
    steps.commit()
    await log.sync()
    for (const { stored } of batch) stored()
    await checkpoint.next()?.done
    await new Promise(setImmediate)
  }
  storing = false
}

function changeOf(spec: AnySpec, batch: readonly Arrived[]): Change {
  const writes = batch.flatMap((each) => each.writes.filter((write) => write.spec === spec))
  return {
    spec,
    inserted: writes.flatMap(({ row, columns }) => (columns === null ? [row] : [])),
    updated: writes.flatMap(({ row, columns }) => (columns === null ? [] : [{ row, columns }])),
    deleted: [],
  }
}

/** Stores a payment in a file of its own with the product, and returns what each of its webhooks wrote, by status. */
async function sampleWrites(): Promise<ReadonlyMap<string, readonly Write[]>> {
  const file = `${path}-sample`
  const store = await openSqliteStore({ path: file })
  const writes = new Map<string, readonly Write[]>()
  const before = new Map<AnySpec, StoredRow>()
  for (const status of STATUSES) {
    const json = parseExactJson(bodyOf(SAMPLE, status))
    const body = JSON.stringify(withoutSecrets(json))
    const report = readPaymentReport(json)
    await store.inbox.receive({ ref: null, receivedAt: new Date(), bodyHashes: [status], body, report })
    const reading = new DatabaseSync(file, { readOnly: true })
    writes.set(
      status,
      SPECS.flatMap((spec): Write[] => {
        const names = Object.keys(spec.columns)
        const row = reading.prepare(`SELECT ${names.join()} FROM ${spec.name} ORDER BY rowid DESC LIMIT 1`).get()
        const [known, now] = [before.get(spec), row as StoredRow]
        before.set(spec, now)
        if (known === undefined || known[names[0] ?? ''] !== now[names[0] ?? ''])
          return [{ spec, row: now, columns: null }]
        const columns = names.filter((name) => known[name] !== now[name])
        return columns.length === 0 ? [] : [{ spec, row: now, columns }]
      }),
    )
    reading.close()
  }
  await store.close()
  return writes
}

/** Returns what a webhook of the payment `uuid` writes. */
function writesFor(uuid: string, status: string, signature: string): Write[] {
  const own = (text: string) =>
    PARTS.reduce((replaced, length) => replaced.replaceAll(SAMPLE.slice(0, length), uuid.slice(0, length)), text)
  return (writesOf.get(status) ?? []).map(({ spec, row, columns }) => {
    const copy: Record<string, string | number | null> = {}
    for (const [name, value] of Object.entries(row)) copy[name] = typeof value === 'string' ? own(value) : value
    if (spec === DELIVERIES) copy['id'] = signature.slice(-DELIVERY_ID)
    if (spec === EVENTS) copy['position'] = position += 1
    return { spec, row: copy, columns }
  })
}

const app = Fastify()
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
app.post<{ Body: Buffer }>(WEBHOOK_PATH, async (request, reply) => {
  const signature = String(request.headers[SIGNATURE_HEADER])
  if (!verify(request.body, signature, [WEBHOOK_SECRET])) return reply.code(401).send('refused')
  const { uuid, status } = JSON.parse(request.body.toString()) as { readonly uuid: string; readonly status: string }
  await new Promise<void>((stored) => {
    arrived.push({ writes: writesFor(uuid, status, signature), stored })
    if (!storing) void storeAll()
  })
  return reply.type('text/plain').send('ok')
})
app.get('/health/ready', (_request, reply) => reply.send('ok'))
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) })
