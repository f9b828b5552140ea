import { AgreementsDocument, type PaymentAgreementStatusInput } from '../generated/graphql.ts'
import { useAnswer } from '../pieces/answers.tsx'
import { Choices, filterOf, FilterForm, PeriodChip, madeIn } from '../pieces/filter-form.tsx'
import { List, PAGE } from '../pieces/list.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Page, Row } from '../pieces/page.tsx'
import { Amount, Status } from '../pieces/values.tsx'
import { hrefOf, type Route } from '../routes/route.ts'

const COLUMNS = ['Agreement', 'Limit', 'Status', 'Description', 'Updated']

const STATUSES: readonly PaymentAgreementStatusInput[] = ['CREATED', 'ACTIVE', 'SUSPENDED', 'CANCELLED', 'FAILED']

/** Debit agreements, newest first. */
export function Agreements({ route }: { readonly route: Route }) {
  const { params } = route
  const variables = {
    first: PAGE,
    after: params.get('after'),
    filter: {
      statuses: filterOf(params, 'status', STATUSES),
      ...madeIn(params),
    },
  }
  const answer = useAnswer(AgreementsDocument, variables, { concerns: ({ agreementId }) => agreementId !== null })

  return (
    <Page title="Agreements">
      <FilterForm route={route} label="Agreements">
        <PeriodChip label="Created" params={params} />
        <Choices name="status" label="Status" params={params} values={STATUSES} />
      </FilterForm>
      <List route={route} what="agreements" answer={answer} list={answer.data?.paymentAgreements} columns={COLUMNS}>
        {({ id, clientTransactionId, status, description, limit, updatedAt }) => (
          <Row key={id} href={hrefOf('agreements', id)} name={clientTransactionId}>
            <td class="number">
              <Amount of={limit} />
            </td>
            <td>
              <Status kind="PaymentAgreementStatus" of={status} />
            </td>
            <td>{description}</td>
            <td>
              <Moment at={updatedAt} />
            </td>
          </Row>
        )}
      </List>
    </Page>
  )
}
