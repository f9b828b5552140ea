import { AgreementsDocument, type AgreementStatusInput } from '../generated/graphql.ts'
import { AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import { Choices, chosenOf, FilterForm, InstantField, instantOf } from '../pieces/filter-form.tsx'
import { Page, Waiting, Pager, Row, Table } from '../pieces/page.tsx'
import { Amount, Moment, Status } from '../pieces/values.tsx'
import { hrefOf, type Route } from '../routes/route.ts'

const PAGE = 20
const COLUMNS = ['Agreement', 'Limit', 'Status', 'What for', 'Changed']

const STATUSES: readonly AgreementStatusInput[] = ['CREATED', 'ACTIVE', 'SUSPENDED', 'CANCELLED', 'FAILED']

/** Debit agreements, newest first. */
export function Agreements({ route }: { readonly route: Route }) {
  const { params } = route
  const statuses = chosenOf(params, 'status', STATUSES)
  const variables = {
    first: PAGE,
    after: params.get('after'),
    filter: {
      statuses: statuses.length === 0 ? null : statuses,
      createdFrom: instantOf(params, 'from'),
      createdBefore: instantOf(params, 'before'),
    },
  }
  const answer = useAnswer(AgreementsDocument, variables, { concerns: ({ agreementId }) => agreementId !== null })
  const list = answer.data?.paymentAgreements
  const rows = list?.nodes ?? []

  return (
    <Page title="Agreements">
      <FilterForm route={route} label="Agreements">
        <InstantField name="from" label="Made from" params={params} />
        <InstantField name="before" label="Made before" params={params} />
        <Choices name="status" label="Status" params={params} values={STATUSES} />
      </FilterForm>
      <AnswerFailure of={answer} />
      {rows.length === 0 ? (
        <Waiting of={answer} what="agreements" />
      ) : (
        <Table caption="Agreements" columns={COLUMNS}>
          {rows.map(({ id, clientTransactionId, status, description, limit, updatedAt }) => (
            <Row key={id} href={hrefOf('agreements', id)} name={clientTransactionId}>
              <td class="number">
                <Amount of={limit} />
              </td>
              <td>
                <Status of={status} />
              </td>
              <td>{description}</td>
              <td>
                <Moment at={updatedAt} />
              </td>
            </Row>
          ))}
        </Table>
      )}
      {list !== undefined && list !== null && <Pager route={route} page={list.pageInfo} />}
    </Page>
  )
}
