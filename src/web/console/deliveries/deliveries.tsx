import { DeliveriesDocument } from '../generated/graphql.ts'
import { AnswerFailure, ANY_EVENT, useAnswer } from '../pieces/answers.tsx'
import { Choices, chosenOf, filterOf, FilterForm, SearchField } from '../pieces/filter-form.tsx'
import { PAGE } from '../pieces/list.tsx'
import { Page, Waiting, Pager } from '../pieces/page.tsx'
import { hrefOf, type Route } from '../routes/route.ts'
import { DeliveryTable } from './delivery-table.tsx'
import { DISPOSITIONS } from './delivery-text.ts'

const ATTENTION = ['YES'] as const

/** Received webhooks, newest first. */
export function Deliveries({ route }: { readonly route: Route }) {
  const { params } = route
  const subject = params.get('subject')
  const needsAttention = chosenOf(params, 'attention', ATTENTION).length > 0
  const variables = {
    first: PAGE,
    after: params.get('after'),
    filter: {
      subjectIds: subject === null ? null : [subject],
      dispositions: filterOf(params, 'disposition', DISPOSITIONS),
      needsAttention: needsAttention ? true : null,
    },
  }
  const answer = useAnswer(DeliveriesDocument, variables, { concerns: ANY_EVENT })
  const list = answer.data?.webhookDeliveries
  const rows = list?.nodes ?? []

  return (
    <Page title="Deliveries">
      <p>
        Webhooks as they came in, signed and kept. What was not authentic was refused, and is not here.{' '}
        <a href={hrefOf('deliveries', null, { attention: 'YES' })}>Those that need a person</a>
      </p>
      <FilterForm route={route} label="Deliveries">
        <SearchField name="subject" label="Payment or agreement id" params={params} />
        <Choices name="disposition" label="Disposition" params={params} values={DISPOSITIONS} />
        <Choices name="attention" label="Needs a person" params={params} values={ATTENTION} />
      </FilterForm>
      <AnswerFailure of={answer} />
      {rows.length > 0 ? (
        <DeliveryTable rows={rows} withAdvice={needsAttention} />
      ) : (
        <Waiting of={answer} what="deliveries" />
      )}
      {list !== undefined && list !== null && <Pager route={route} page={list.pageInfo} />}
    </Page>
  )
}
