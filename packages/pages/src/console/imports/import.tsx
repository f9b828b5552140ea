import { Glyph, Icon } from '../../design/icons.tsx'
import { ImportNowDocument, type ImportNowQuery } from '../generated/graphql.ts'
import { AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Page, Table, Waiting } from '../pieces/page.tsx'
import { lookOf, type Tone } from '../pieces/statuses.ts'
import { Marked, wordsOf } from '../pieces/values.tsx'
import { hrefOf, type ViewName } from '../routes/route.ts'
import { useCompare } from './compare-dialog.tsx'
import { daysText, differencesOf, foundText, resultOf } from './import-result.ts'
import { kindText } from './imports.tsx'
import { RunningImport } from './running.tsx'
import { Sums } from './sums.tsx'

const EVERY_MS = 2_000

type ImportNow = NonNullable<ImportNowQuery['paymentImport']>
type Report = ImportNow['lists'][number]
type Of = { readonly of: ImportNow }

/** One comparison: how far it is, what to do about each difference, and the sums of the payments API beside ours. */
export function Import({ id }: { readonly id: string }) {
  const answer = useAnswer(ImportNowDocument, { id }, { everyMs: EVERY_MS })
  const now = answer.data?.paymentImport ?? null
  const { isBusy, compare, failure } = useCompare()
  return (
    <Page
      title={`Comparison ${id}`}
      in="imports"
      heading={
        now && (
          <>
            <span>{daysText(now)}</span> <Marked look={resultOf(now)} isFilled />
          </>
        )
      }
      about={
        now && (
          <span class="faint">
            {foundText(now)}. {kindText(now)}. <Moment at={now.requestedAt} isExact />
            {now.doneAt !== null && (
              <>
                {' '}
                to <Moment at={now.doneAt} isTime />
              </>
            )}
          </span>
        )
      }
      actions={
        now !== null &&
        now.state !== 'RUNNING' && (
          <>
            <button
              class="button"
              type="button"
              disabled={isBusy}
              onClick={() => compare({ from: now.from, to: now.to, dryRun: true })}
            >
              <Icon name="refresh" />
              <span>Compare again</span>
            </button>
            {now.dryRun && differencesOf(now.lists) > 0 && (
              <button
                class="button primary"
                type="button"
                disabled={isBusy}
                onClick={() => compare({ from: now.from, to: now.to, dryRun: false })}
              >
                Record what is missing
              </button>
            )}
          </>
        )
      }
    >
      {failure}
      <AnswerFailure of={answer} />
      {now === null ? (
        <Waiting of={answer} what={`comparisons with the id ${id}`} />
      ) : (
        <div class="stack-5">
          {now.state === 'RUNNING' && <RunningImport of={now} onCancelled={answer.askAgain} />}
          <ToDo of={now} />
          <Sums of={now.totals} />
          <Lists of={now} />
        </div>
      )}
    </Page>
  )
}

const VIEWS: Readonly<Record<Report['list'], ViewName>> = {
  LINKS: 'payments',
  PAYINS: 'payments',
  AGREEMENTS: 'agreements',
  PAYOUTS: 'payouts',
}

type Item = {
  readonly key: string
  readonly tone: Tone
  readonly glyph: string
  readonly title: string
  readonly advice: string
  readonly ids: readonly string[]
  readonly count: number
  /** The view of the ids; null where there is none. */
  readonly view: ViewName | null
}

/** What is not the same, each with what a person does about it, or that nothing is to be done. */
function ToDo({ of: { lists, dryRun } }: Of) {
  const items = [...problemsOf(lists), ...lists.flatMap((report) => itemsOf(report, dryRun))].filter(
    ({ count }) => count > 0,
  )
  if (items.length === 0) return null
  return (
    <section aria-labelledby="todo">
      <h2 id="todo">What to do</h2>
      <ul class="needs edge">
        {items.map(({ key, tone, glyph, title, advice, ids, count, view }) => (
          <li key={key} class={tone}>
            <Glyph name={glyph} />
            <div>
              <p class="medium">{title}</p>
              <p class="faint small">{advice}</p>
              <p class="row wrap">
                {ids.map((id) =>
                  view === null ? (
                    <code key={id}>{id}</code>
                  ) : (
                    <a key={id} href={hrefOf(view, id)}>
                      {id}
                    </a>
                  ),
                )}
                {ids.length > 0 && count > ids.length && `and ${count - ids.length} more`}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

function nameOf({ site, list }: Report): string {
  return `${site}, ${wordsOf(list).toLowerCase()}`
}

/** Returns the lists that were not read to their end, by the reason; a person who cancelled knows it. */
function problemsOf(lists: readonly Report[]): Item[] {
  const problems = [...new Set(lists.flatMap(({ problem }) => problem ?? []))].filter((one) => one !== 'CANCELLED')
  return problems.map((problem) => {
    const names = lists.filter((one) => one.problem === problem).map(nameOf)
    return {
      key: problem,
      tone: 'fault',
      glyph: 'fail',
      title: `Not read to the end: ${lookOf('PaymentImportProblem', problem).word.toLowerCase()}`,
      advice: 'Check the sites in Health, then compare again.',
      ids: names,
      count: names.length,
      view: null,
    }
  })
}

function itemsOf(report: Report, dryRun: boolean): Item[] {
  const { differed, added, absent, failed } = report
  const name = nameOf(report)
  const [open, done] = [
    { tone: 'look', glyph: 'doubt' },
    { tone: 'here', glyph: 'done' },
  ] as const
  const found = dryRun ? open : done
  const view = VIEWS[report.list]
  return [
    {
      ...open,
      key: `${name} absent`,
      title: `${name}: ${absent} on record here, and missing from the provider’s list`,
      advice: 'Search for them in the provider’s dashboard. What is missing there was never accepted.',
      ids: report.absentIds,
      count: absent,
      // What is not in the list of links is named by the ids of the links.
      view: report.list === 'LINKS' ? 'links' : view,
    },
    {
      ...found,
      key: `${name} differed`,
      title: `${name}: ${differed} in another state than in the list`,
      advice: dryRun ? 'Record what is missing to read them back.' : 'They were read back from the payments API.',
      ids: report.differedIds,
      count: differed,
      view,
    },
    {
      ...found,
      key: `${name} added`,
      title: `${name}: ${added} not on record`,
      advice: dryRun ? 'Created elsewhere, or missed. Record what is missing to add them.' : 'They have been recorded.',
      ids: report.addedIds,
      count: added,
      view: dryRun ? null : view,
    },
    {
      ...open,
      key: `${name} failed`,
      tone: 'fault',
      title: `${name}: ${failed} could not be compared`,
      advice: 'The reason is in the log.',
      ids: report.failedIds,
      count: failed,
      view: null,
    },
  ]
}

const LISTS = [
  'List',
  ['Entries', 'number'],
  ['Equal', 'number'],
  ['Different', 'number'],
  ['Missing here', 'number'],
  ['Missing there', 'number'],
  ['Skipped', 'number'],
] as const

function Lists({ of: { lists } }: Of) {
  const full = lists.filter(({ listed, absent, problem }) => listed + absent > 0 || problem !== null)
  const empty = lists.length - full.length
  return (
    <section aria-labelledby="lists">
      <h2 id="lists">By list</h2>
      {empty > 0 && <p class="note">{empty} other lists have no entries.</p>}
      <Table caption="Lists" columns={LISTS}>
        {full.map(({ site, list, listed, equal, differed, added, absent, passedOver }) => (
          <tr key={`${site} ${list}`}>
            <th scope="row">
              <span class="strong">{site}</span> <span class="faint">{wordsOf(list)}</span>
            </th>
            <td class="number">{listed}</td>
            <td class="number">{equal}</td>
            {[differed, added, absent].map((count, index) => (
              <td key={index} class="number">
                <span class={count === 0 ? 'faint' : 'tone look medium'}>{count}</span>
              </td>
            ))}
            <td class="number faint">{passedOver}</td>
          </tr>
        ))}
      </Table>
    </section>
  )
}
