import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { CANCEL_IMPORT, DAILY_REPORT, IMPORT, IMPORT_STATE } from '../documents.ts'
import { type Ask, OperatorError, facts, plain, table } from '../operator-answers.ts'
import type { Report } from '../report.ts'

/** Pause between two questions about the progress, in milliseconds. */
const ASK_AGAIN_MS = 1_000
const DAY_MS = 24 * 3_600_000

type ImportOptions = {
  readonly from: Date
  readonly to?: Date
  /** Empty for all sites. */
  readonly site: readonly string[]
  /** Whether what is missing is recorded, after it was counted. */
  readonly yes: boolean
}

/** Compares, and then imports if it is asked to. Returns the report of the end. Throws `OperatorError` when it is refused. */
export async function importPayments(
  ask: Ask,
  { from, to = new Date(), site: sites, yes }: ImportOptions,
  terminal: Terminal,
): Promise<Report> {
  const begun = await begin(ask, { from, to, dryRun: true, sites })
  const compared = await awaitImport(ask, begun, terminal)
  const plan = endOf(compared)
  if (!yes) return { ...plan, text: `${plan.text}\n\nWith --yes what is missing is recorded.` }
  const counted = (of: 'added' | 'differed') => compared.lists.reduce((sum, list) => sum + list[of], 0)
  terminal.write(`${counted('added')} are missing and ${counted('differed')} differ: they are recorded.\n`)
  return watchImport(ask, { id: await begin(ask, { from, to, dryRun: false, sites }) }, terminal)
}

/** Waits for the end of an import. Returns its report. Throws as `importPayments`. */
export async function watchImport(ask: Ask, { id }: { id: string }, terminal: Terminal): Promise<Report> {
  return endOf(await awaitImport(ask, id, terminal))
}

/** Cancels an import. Throws `OperatorError` when it does not exist. */
export async function cancelImport(ask: Ask, { id }: { id: string }): Promise<Report> {
  const variables = { input: { importId: id } }
  const { cancelPaymentImport: result } = (await ask(CANCEL_IMPORT, { variables, shape: cancelledAnswer })).data
  if ('code' in result) throw new OperatorError(`${result.code}: ${plain(result.message)}`)
  return { data: result.import, text: 'Cancelled. What it has recorded stays.' }
}

function endOf(done: Import): Report {
  return reportOf(done, `${reportText(done)}\n\n${totalsTable(done)}`)
}

/**
 * Shows the comparison of a day, by default of yesterday. A day that the schedule has not compared is compared now, in a dry run.
 * Returns the totals. Throws as `importPayments`.
 */
export async function reconcile(
  ask: Ask,
  { day = null }: { day?: string | null },
  terminal: Terminal,
): Promise<Report> {
  const { reconciliationReport: daily } = (await ask(DAILY_REPORT, { variables: { day }, shape: dailyAnswer })).data
  const id = daily?.id ?? (await begin(ask, { ...dayOf(day), dryRun: true, sites: [] }))
  const done = daily?.state === 'DONE' ? daily : await awaitImport(ask, id, terminal)
  return reportOf(done, totalsText(done))
}

async function begin(
  ask: Ask,
  { from, to, dryRun, sites }: { from: Date; to: Date; dryRun: boolean; sites: readonly string[] },
): Promise<string> {
  const input = { from: from.toISOString(), to: to.toISOString(), dryRun, sites }
  const { importPayments: result } = (await ask(IMPORT, { variables: { input }, shape: begunAnswer })).data
  if ('import' in result) return result.import.id
  const problems = (result.problems ?? []).map(({ path, message }) => `\n  --${path.join('.')} ${message}`)
  throw new OperatorError(`${result.code}: ${plain(result.message)}${problems.map(plain).join('')}`)
}

function awaitImport(ask: Ask, id: string, terminal: Terminal): Promise<Import> {
  return awaitEnd(
    async () => (await ask(IMPORT_STATE, { variables: { id }, shape: importAnswer })).data.paymentImport,
    terminal,
  )
}

/** Shows the progress of a job until it is done. Returns it as `read` does then. Throws `OperatorError` when there is none. */
export async function awaitEnd<Job extends { readonly state: 'RUNNING' | 'DONE'; readonly progress: number }>(
  read: () => Promise<Job | null>,
  terminal: Terminal,
): Promise<Job> {
  const bar = progressBar(terminal)
  try {
    for (;;) {
      const now = await read()
      if (now === null) throw new OperatorError('Nothing was found with this id.')
      if (now.state === 'DONE') return now
      bar.show(now.progress)
      await sleep(ASK_AGAIN_MS)
    }
  } finally {
    bar.end()
  }
}

/** Returns the report, with a problem if a list was not compared wholly: what is missing looks as if it were not there. */
function reportOf(done: Import, text: string): Report {
  const partial = done.lists.flatMap((list) => {
    const problem = problemOf(list)
    return problem === null ? [] : [`${list.site} ${list.list}: ${problem}`]
  })
  const problem = partial.length === 0 ? undefined : `Not every list was read: ${plain(partial.join('; '))}`
  return { data: done, text, problem }
}

/** Why a list was not compared wholly; null if it was. */
function problemOf({ problem, failed }: Import['lists'][number]): string | null {
  return problem ?? (failed === 0 ? null : `${failed} FAILED`)
}

/** The day, or the one before today, in UTC. */
function dayOf(day: string | null): { readonly from: Date; readonly to: Date } {
  const from = day === null ? Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS : Date.parse(day)
  return { from: new Date(from), to: new Date(from + DAY_MS - 1) }
}

function reportText({ id, from, to, dryRun, lists }: Import): string {
  const head = facts([
    ['import', id],
    ['interval', `${from} to ${to}`],
  ])
  const counts = table(
    ['SITE', 'LIST', 'LISTED', 'EQUAL', 'DIFFERED', 'ADDED', 'PASSED OVER', 'ABSENT', 'PROBLEM'],
    lists.map((list) => [
      list.site,
      list.list,
      String(list.listed),
      String(list.equal),
      String(list.differed),
      String(list.added),
      String(list.passedOver),
      String(list.absent),
      problemOf(list),
    ]),
  )
  const ids = lists.flatMap(({ site, list, differed, differedIds, added, addedIds, absent, absentIds, ...rest }) => [
    ...idLine(`${site} ${list} differed`, differedIds, differed),
    ...idLine(`${site} ${list} added`, addedIds, added),
    ...idLine(`${site} ${list} absent`, absentIds, absent),
    ...idLine(`${site} ${list} failed`, rest.failedIds, rest.failed),
  ])
  const done = dryRun ? 'Dry run: nothing has been recorded.' : 'Done. Entries that differ are being read back.'
  return [done, head, counts, ...(ids.length === 0 ? [] : [ids.join('\n')])].join('\n\n')
}

function idLine(name: string, ids: readonly string[], count: number): string[] {
  if (count === 0) return []
  const more = count > ids.length ? ` and ${count - ids.length} more` : ''
  return [`${plain(name)}: ${plain(ids.join(' '))}${more}`]
}

function totalsText(done: Import): string {
  const head = facts([
    ['interval', `${done.from} to ${done.to}`],
    ['import', done.id],
  ])
  return `${head}\n\n${totalsTable(done)}`
}

function totalsTable({ totals }: Import): string {
  if (totals.length === 0) return 'There are no totals.'
  const rows = totals.flatMap(({ site, kind, currency, ...sums }) =>
    (['theirs', 'ours', 'difference'] as const).map((whose) => {
      const { count, amount, paid, refunded } = sums[whose]
      return [site ?? 'all sites', kind, currency, whose, String(count), amount, paid, refunded]
    }),
  )
  return table(['SITE', 'KIND', 'CURRENCY', 'WHOSE', 'COUNT', 'AMOUNT', 'PAID', 'REFUNDED'], rows)
}

/** Where the progress is shown: standard error, so that the output of a command can be redirected without it. */
export type Terminal = Writable & { readonly isTTY?: boolean }

/** Shows how much is done, in percent; `end` removes it. */
type ProgressBar = { show(percent: number): void; end(): void }

const WIDTH = 30
/** Carriage return, and "erase in line" of ECMA-48: the line is written anew. */
const ANEW = '\r\u001B[K'

/** Returns a bar on a terminal; on anything else nothing is shown. */
export function progressBar(terminal: Terminal): ProgressBar {
  if (terminal.isTTY !== true) return { show() {}, end() {} }
  return {
    show(percent) {
      const filled = Math.round((percent * WIDTH) / 100)
      terminal.write(`${ANEW}[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${percent} %`)
    },
    end: () => void terminal.write(ANEW),
  }
}

const report = z.object({
  site: z.string(),
  list: z.string(),
  listed: z.number(),
  equal: z.number(),
  differed: z.number(),
  added: z.number(),
  passedOver: z.number(),
  failed: z.number(),
  absent: z.number(),
  differedIds: z.array(z.string()),
  addedIds: z.array(z.string()),
  absentIds: z.array(z.string()),
  failedIds: z.array(z.string()),
  problem: z.string().nullable(),
})

const sum = z.object({ count: z.number(), amount: z.string(), paid: z.string(), refunded: z.string() })

const comparison = z.object({
  id: z.string(),
  from: z.string(),
  to: z.string(),
  dryRun: z.boolean(),
  state: z.enum(['RUNNING', 'DONE']),
  progress: z.number(),
  lists: z.array(report),
  totals: z.array(
    z.object({
      site: z.string().nullable(),
      kind: z.string(),
      currency: z.string(),
      theirs: sum,
      ours: sum,
      difference: sum,
    }),
  ),
})

/** An import as the graph answers it. */
type Import = z.output<typeof comparison>

const begunAnswer = z.object({
  importPayments: z.union([
    z.object({ import: z.object({ id: z.string() }) }),
    z.object({
      code: z.string(),
      message: z.string(),
      problems: z.array(z.object({ path: z.array(z.string()), message: z.string() })).optional(),
    }),
  ]),
})

const cancelledAnswer = z.object({
  cancelPaymentImport: z.union([
    z.object({ import: comparison.pick({ id: true, state: true }) }),
    z.object({ code: z.string(), message: z.string() }),
  ]),
})

const importAnswer = z.object({ paymentImport: comparison.nullable() })

const dailyAnswer = z.object({ reconciliationReport: comparison.nullable() })
