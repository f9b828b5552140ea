/**
 * Records answers to reads in a store that this process opens, 64 at a time, and prints as JSON how many it recorded and what CPU time they
 * took: `node answers.ts <database url> <seconds>`. Every second answer shows a new status, the others show the known one.
 */
import { randomUUID } from 'node:crypto'
import { parseExactJson } from 'payments-subgraph-lib/exact-json'
import type { PaymentReport } from '../../../src/domain/payments/payment-report.ts'
import type { Store } from '../../../src/ledger/store.ts'
import type { ReadSubject } from '../../../src/store/port.ts'
import { readPaymentReport } from '../../../src/upstream/wire/wire-payment.ts'
import { openPostgresStore } from '../../../test/support/store.ts'
import { openSqliteStore } from '../../../test/support/store.ts'
import { bodyOf } from './requests.ts'

export type Recorded = {
  readonly answers: number
  readonly seconds: number
  readonly cpuSeconds: number
  readonly failures: number
}

const CONCURRENCY = 64
/** Number of payments whose answers are recorded before the next subjects are prepared. */
const BATCH = 256

type Question = {
  readonly subject: ReadSubject
  readonly report: PaymentReport
  readonly expected: 'changed' | 'confirmed'
}

const [url = '', seconds = '3'] = process.argv.slice(2)
const store = await (url.startsWith('file:') ? openSqliteStore({ path: url.slice(5) }) : openPostgresStore({ url }))
// The first batch is not counted, because the code is compiled while it runs.
await recordBatch(await prepareBatch(store), store)
let recorded: Recorded = { answers: 0, seconds: 0, cpuSeconds: 0, failures: 0 }
while (recorded.seconds < Number(seconds)) recorded = sum(recorded, await recordBatch(await prepareBatch(store), store))
await store.close()
console.log(JSON.stringify(recorded))

/** Stores pending payments, and returns them as the subjects of reads, each with an answer to record. */
async function prepareBatch({ inbox, reads }: Store): Promise<Question[]> {
  return inTurns(Array.from({ length: BATCH }), async (_, index) => {
    const uuid = randomUUID()
    const pending = reportOf(uuid, 'pending')
    await inbox.receive({
      bodyHashes: [uuid],
      ref: null,
      body: bodyOf(uuid, 'pending'),
      receivedAt: new Date(),
      report: pending,
    })
    const subject = await reads.subject(uuid)
    if (subject === null) throw new Error('A payment that was stored is not found.')
    return index % 2 === 0
      ? { subject, report: reportOf(uuid, 'received'), expected: 'changed' }
      : { subject, report: pending, expected: 'confirmed' }
  })
}

async function recordBatch(questions: readonly Question[], { reads }: Store): Promise<Recorded> {
  const begun = performance.now()
  const cpuBefore = process.cpuUsage()
  const outcomes = await inTurns(questions, ({ subject, report }) => reads.record(subject, report, new Date(), null))
  const cpu = process.cpuUsage(cpuBefore)
  return {
    answers: questions.length,
    seconds: (performance.now() - begun) / 1_000,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    failures: questions.filter(({ expected }, index) => outcomes[index] !== expected).length,
  }
}

function sum(a: Recorded, b: Recorded): Recorded {
  return {
    answers: a.answers + b.answers,
    seconds: a.seconds + b.seconds,
    cpuSeconds: a.cpuSeconds + b.cpuSeconds,
    failures: a.failures + b.failures,
  }
}

function reportOf(uuid: string, status: Parameters<typeof bodyOf>[1]): PaymentReport {
  const report = readPaymentReport(parseExactJson(bodyOf(uuid, status)))
  if (report === null) throw new Error('The body of a payment cannot be read.')
  return report
}

/** Runs some work on each item, on 64 at a time. Returns the results in the order of the items. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const left = items.entries()
  const worker = async () => {
    for (const [index, item] of left) results[index] = await work(item, index)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return results
}
