import { LinksDocument, type PaymentPhaseInput } from '../generated/graphql.ts'
import { AnswerFailure, ANY_EVENT, useAnswer } from '../pieces/answers.tsx'
import { Choices, chosenOf, FilterForm, InstantField, instantOf, SearchField } from '../pieces/filter-form.tsx'
import { Page, Waiting, Pager, Row, Table } from '../pieces/page.tsx'
import { Amount, Moment, Status } from '../pieces/values.tsx'
import { hrefOf, type Route } from '../routes/route.ts'

const PAGE = 20
const COLUMNS = ['Reference', 'Asked for', 'State', 'Payment', 'Made', 'Expires']

const PHASES: readonly PaymentPhaseInput[] = ['IN_PROGRESS', 'SUCCEEDED', 'FAILED', 'EXPIRED']

/** Hosted checkout links, newest first. */
export function Links({ route }: { readonly route: Route }) {
  const { params } = route
  const phases = chosenOf(params, 'phase', PHASES)
  const variables = {
    first: PAGE,
    after: params.get('after'),
    filter: {
      reference: params.get('q'),
      createdFrom: instantOf(params, 'from'),
      createdBefore: instantOf(params, 'before'),
      phases: phases.length === 0 ? null : phases,
    },
  }
  const answer = useAnswer(LinksDocument, variables, { concerns: ANY_EVENT })
  const list = answer.data?.paymentLinks
  const rows = list?.nodes ?? []

  return (
    <Page title="Links">
      <FilterForm route={route} label="Links">
        <SearchField name="q" label="Whole reference" params={params} />
        <InstantField name="from" label="Made from" params={params} />
        <InstantField name="before" label="Made before" params={params} />
        <Choices name="phase" label="Phase of the payment" params={params} values={PHASES} />
      </FilterForm>
      <AnswerFailure of={answer} />
      {rows.length === 0 ? (
        <Waiting of={answer} what="links" />
      ) : (
        <Table caption="Links" columns={COLUMNS}>
          {rows.map(({ id, reference, state, requestedAmount, payment, createdAt, expiresAt }) => (
            <Row key={id} href={hrefOf('links', id)} name={reference}>
              <td class="number">
                <Amount of={requestedAmount} />
              </td>
              <td>
                <Status of={state} />
              </td>
              <td>{payment === null ? '–' : <a href={hrefOf('payments', payment.id)}>{payment.statusRaw}</a>}</td>
              <td>
                <Moment at={createdAt} />
              </td>
              <td>
                <Moment at={expiresAt} />
              </td>
            </Row>
          ))}
        </Table>
      )}
      {list !== undefined && list !== null && <Pager route={route} page={list.pageInfo} />}
    </Page>
  )
}
