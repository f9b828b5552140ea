import { ImportNowDocument, type ImportNowQuery } from '../generated/graphql.ts'
import { AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Fact, Facts, Page, Waiting, Table } from '../pieces/page.tsx'
import { Status, wordsOf } from '../pieces/values.tsx'
import { hrefOf, type ViewName } from '../routes/route.ts'

const EVERY_MS = 2_000
const LISTS = ['Site', 'List', 'Listed', 'Equal', 'Different', 'Added', 'Skipped', 'Absent', 'Problem']
const TOTALS = ['Site', 'Kind', 'Currency', 'Source', 'Count', 'Amount', 'Paid', 'Refunded']

type ImportNow = NonNullable<ImportNowQuery['paymentImport']>
type Report = ImportNow['lists'][number]

/** One import: how far it is, what differed, and the payments API's sums beside ours. */
export function Import({ id }: { readonly id: string }) {
  const answer = useAnswer(ImportNowDocument, { id }, { everyMs: EVERY_MS })
  const now = answer.data?.paymentImport ?? null
  return (
    <Page title={`Import ${id}`} in="imports">
      <AnswerFailure of={answer} />
      {now === null ? (
        <Waiting of={answer} what={`imports with the id ${id}`} />
      ) : (
        <>
          <Terms of={now} />
          <h2>Lists</h2>
          <Lists of={now} />
          <Differences of={now} />
          <h2>Differences</h2>
          <Totals of={now} />
        </>
      )}
    </Page>
  )
}

function Terms({ of: { state, progress, from, to, dryRun, daily, requestedBy, requestedAt, doneAt } }: Of) {
  return (
    <Facts>
      <Fact name="State">
        <Status kind="PaymentsJobState" of={state} />
        {state === 'RUNNING' && (
          <>
            {' '}
            <progress aria-label="Progress" max={100} value={progress} /> {progress} %
          </>
        )}
      </Fact>
      <Fact name="Created from">
        <Moment at={from} />
      </Fact>
      <Fact name="Created until">
        <Moment at={to} />
      </Fact>
      <Fact name="What">{dryRun ? 'Compares only' : 'Records what is missing'}</Fact>
      <Fact name="Started by">{daily ? 'Schedule' : requestedBy}</Fact>
      <Fact name="Started">
        <Moment at={requestedAt} />
      </Fact>
      <Fact name="Ended">{doneAt && <Moment at={doneAt} />}</Fact>
    </Facts>
  )
}

type Of = { readonly of: ImportNow }

function Lists({ of: { lists } }: Of) {
  return (
    <Table caption="Lists" columns={LISTS}>
      {lists.map(({ site, list, listed, equal, differed, added, passedOver, absent, problem }) => (
        <tr key={`${site} ${list}`}>
          <th scope="row">{site}</th>
          <td>{wordsOf(list)}</td>
          {[listed, equal, differed, added, passedOver, absent].map((count, index) => (
            <td key={LISTS[index + 2]} class="number">
              {count}
            </td>
          ))}
          <td>{problem === null ? '–' : <Status kind="PaymentImportProblem" of={problem} />}</td>
        </tr>
      ))}
    </Table>
  )
}

const VIEWS: Readonly<Record<Report['list'], ViewName>> = {
  LINKS: 'payments',
  PAYINS: 'payments',
  AGREEMENTS: 'agreements',
  PAYOUTS: 'payouts',
}

/** The first of what was not equal, each as a link to what is on record of it. */
function Differences({ of: { lists, dryRun } }: Of) {
  const groups = lists.flatMap((report) => [
    { report, what: 'differed', ids: report.differedIds, count: report.differed, isLinked: true },
    { report, what: 'not on record', ids: report.addedIds, count: report.added, isLinked: !dryRun },
    { report, what: 'not in the list', ids: report.absentIds, count: report.absent, isLinked: true },
    { report, what: 'failed', ids: report.failedIds, count: report.failed, isLinked: false },
  ])
  return (
    <>
      {groups
        .filter(({ count }) => count > 0)
        .map(({ report, what, ids, count, isLinked }) => (
          <p key={`${report.site} ${report.list} ${what}`}>
            {report.site}, {wordsOf(report.list).toLowerCase()}, {what}:{' '}
            {ids.map((id) => (
              <>{isLinked ? <a href={hrefOf(viewOf(report, what), id)}>{id}</a> : <code>{id}</code>} </>
            ))}
            {count > ids.length && `and ${count - ids.length} more`}
          </p>
        ))}
    </>
  )
}

/** What is not in the list of links is told by the ids of the links. */
function viewOf({ list }: Report, what: string): ViewName {
  return list === 'LINKS' && what === 'not in the list' ? 'links' : VIEWS[list]
}

function Totals({ of: { totals } }: Of) {
  if (totals.length === 0) return <p class="note">There are no totals.</p>
  return (
    <Table caption="Differences" columns={TOTALS}>
      {totals.flatMap(({ site, kind, currency, ...sums }) =>
        (['theirs', 'ours', 'difference'] as const).map((whose) => (
          <tr key={`${site} ${kind} ${currency} ${whose}`}>
            <th scope="row">{site ?? 'All sites'}</th>
            <td>{wordsOf(kind)}</td>
            <td>{currency}</td>
            <td>{wordsOf(whose.toUpperCase())}</td>
            <td class="number">{sums[whose].count}</td>
            <td class="number">{sums[whose].amount}</td>
            <td class="number">{sums[whose].paid}</td>
            <td class="number">{sums[whose].refunded}</td>
          </tr>
        )),
      )}
    </Table>
  )
}
