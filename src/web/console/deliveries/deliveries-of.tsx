import { useEffect } from 'preact/hooks'
import { DeliveriesDocument } from '../generated/graphql.ts'
import { RequestFailure } from '../pieces/failures.tsx'
import { Waiting } from '../pieces/page.tsx'
import { useAnswer } from '../pieces/use-answer.ts'
import { hrefOf } from '../routes/route.ts'
import { DeliveryTable } from './delivery-table.tsx'

const MOST = 50

type Props = {
  readonly subjectId: string
  /** The deliveries are read again when this number changes. */
  readonly turn: number
}

/** The latest deliveries for one payment or agreement. */
export function DeliveriesOf({ subjectId, turn }: Props) {
  const { data, error, isAsking, askAgain } = useAnswer(DeliveriesDocument, {
    first: MOST,
    filter: { subjectIds: [subjectId] },
  })
  useEffect(() => {
    if (turn > 0) askAgain()
  }, [turn])
  const list = data?.webhookDeliveries
  const rows = list?.nodes ?? []
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">Deliveries</h2>
      <RequestFailure error={error} />
      {rows.length > 0 ? <DeliveryTable rows={rows} /> : <Waiting isAsking={isAsking} what="deliveries" />}
      {list?.pageInfo.hasNextPage === true && (
        <a href={hrefOf('deliveries', null, { subject: subjectId })}>All of them</a>
      )}
    </section>
  )
}
