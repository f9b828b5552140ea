import { ImportsDocument, type ImportsQuery } from '../generated/graphql.ts'
import { AnswerFailure } from '../pieces/failures.tsx'
import { Moment } from '../pieces/moment.tsx'
import { Page, Waiting } from '../pieces/page.tsx'
import { Pager } from '../pieces/pager.tsx'
import { Status } from '../pieces/status.tsx'
import { Row, Table } from '../pieces/table.tsx'
import { useAnswer } from '../pieces/use-answer.ts'
import { hrefOf, type Route } from '../routes/route.ts'
import { BeginImport } from './begin-import.tsx'

const PAGE = 20
const COLUMNS = ['Import', 'State', 'Made from', 'Made until', 'What', 'Begun by']
const EVERY_MS = 3_000

type Listed = NonNullable<ImportsQuery['paymentImports']>['nodes'][number]

/** The comparisons of the payments API's lists with the record, newest first, and a form that begins one. */
export function Imports({ route }: { readonly route: Route }) {
  const variables = { first: PAGE, after: route.params.get('after') }
  const answer = useAnswer(ImportsDocument, variables, { everyMs: EVERY_MS })
  const list = answer.data?.paymentImports ?? null
  const rows = list?.nodes ?? []
  return (
    <Page title="Imports">
      <BeginImport />
      <AnswerFailure of={answer} />
      {rows.length === 0 ? (
        <Waiting of={answer} what="imports" />
      ) : (
        <Table caption="Imports" columns={COLUMNS}>
          {rows.map((one) => (
            <ImportRow key={one.id} of={one} />
          ))}
        </Table>
      )}
      {list !== null && <Pager route={route} page={list.pageInfo} />}
    </Page>
  )
}

function ImportRow({ of: one }: { readonly of: Listed }) {
  const { id, from, to, dryRun, daily, state, progress, requestedBy, requestedAt } = one
  return (
    <Row href={hrefOf('imports', id)} name={`Import ${id}`}>
      <td>
        <Status of={state} />
        {state === 'RUNNING' && ` ${progress} %`}
      </td>
      <td>
        <Moment at={from} />
      </td>
      <td>
        <Moment at={to} />
      </td>
      <td>{dryRun ? 'Compares only' : 'Records what is missing'}</td>
      <td>
        {daily ? 'The daily schedule' : (requestedBy ?? '–')}, <Moment at={requestedAt} />
      </td>
    </Row>
  )
}
