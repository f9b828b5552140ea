import { useState } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'
import { ImportsDocument } from '../generated/graphql.ts'
import { useAnswer } from '../pieces/answers.tsx'
import { List } from '../pieces/list.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Page, RowLink } from '../pieces/page.tsx'
import { Marked } from '../pieces/values.tsx'
import { hrefOf, type Route } from '../routes/route.ts'
import { CompareDialog } from './compare-dialog.tsx'
import { daysText, foundText, resultOf } from './import-result.ts'
import { RunningImport } from './running.tsx'

const PAGE = 20
const EVERY_MS = 3_000
const COLUMNS = ['Days', 'Result', 'Found', 'Kind', 'Requested by', ['Started', 'number']] as const

/** The comparisons of the payments API's lists with the record, newest first, and a dialog that begins one. */
export function Imports({ route }: { readonly route: Route }) {
  const [isAsking, setAsking] = useState(false)
  const variables = { first: PAGE, after: route.params.get('after') }
  const answer = useAnswer(ImportsDocument, variables, { everyMs: EVERY_MS })
  const list = answer.data?.paymentImports ?? null
  return (
    <Page
      title="Reconciliation"
      actions={
        <button class="button primary" type="button" data-key="n" onClick={() => setAsking(true)}>
          <Icon name="reconcile" />
          <span>Compare days …</span>
        </button>
      }
    >
      {list?.nodes
        .filter(({ state }) => state === 'RUNNING')
        .map((one) => (
          <RunningImport key={one.id} of={one} onCancelled={answer.askAgain} />
        ))}
      <List route={route} what="comparisons" answer={answer} list={list} columns={COLUMNS} isFolding>
        {(one) => (
          <tr key={one.id}>
            <th scope="row" class="lead">
              <RowLink href={hrefOf('imports', one.id)}>{daysText(one)}</RowLink>
            </th>
            <td class="end lead">
              <Marked look={resultOf(one)} />
            </td>
            <td>{one.state === 'RUNNING' ? `${one.progress} %` : foundText(one)}</td>
            <td class="faint drop">{kindText(one)}</td>
            <td class="faint drop">{one.daily ? 'Schedule' : (one.requestedBy ?? '–')}</td>
            <td class="number faint end">
              <Moment at={one.requestedAt} inRow />
            </td>
          </tr>
        )}
      </List>
      {isAsking && <CompareDialog onClose={() => setAsking(false)} />}
    </Page>
  )
}

/** Returns who began a comparison, and whether it records what is missing. */
export function kindText({ daily, dryRun }: { readonly daily: boolean; readonly dryRun: boolean }): string {
  return `${daily ? 'Daily' : 'By hand'}, ${dryRun ? 'compares only' : 'records what is missing'}`
}
