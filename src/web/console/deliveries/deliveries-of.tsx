import type { FeedEvent } from '../feed/feed-state.ts'
import { DeliveriesDocument } from '../generated/graphql.ts'
import { AnswerFailure } from '../pieces/failures.tsx'
import { Waiting } from '../pieces/page.tsx'
import { useAnswer } from '../pieces/use-answer.ts'
import { hrefOf } from '../routes/route.ts'
import { DeliveryTable } from './delivery-table.tsx'

const MOST = 50

type Props = {
  readonly subjectId: string
  /** Which events come with a delivery. */
  readonly concerns: (event: FeedEvent) => boolean
}

/** The latest deliveries for one payment or agreement. */
export function DeliveriesOf({ subjectId, concerns }: Props) {
  const variables = { first: MOST, filter: { subjectIds: [subjectId] } }
  const answer = useAnswer(DeliveriesDocument, variables, { concerns })
  const list = answer.data?.webhookDeliveries
  const rows = list?.nodes ?? []
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">Deliveries</h2>
      <AnswerFailure of={answer} />
      {rows.length > 0 ? <DeliveryTable rows={rows} /> : <Waiting of={answer} what="deliveries" />}
      {list?.pageInfo.hasNextPage === true && (
        <a href={hrefOf('deliveries', null, { subject: subjectId })}>All of them</a>
      )}
    </section>
  )
}
