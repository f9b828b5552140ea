import { HealthNowDocument, type HealthNowQuery } from '../generated/graphql.ts'
import { AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import { durationText, Moment } from '../pieces/moments.tsx'
import { Fact, Facts, Page, Waiting, Table } from '../pieces/page.tsx'
import { Status } from '../pieces/values.tsx'
import { hrefOf } from '../routes/route.ts'

const EVERY_MS = 3_000
const COLUMNS = ['Site', 'Currencies', 'The payments API', 'Last answer', 'Methods refreshed']

type HealthNow = NonNullable<HealthNowQuery['paymentsHealth']>

/** The state of the payments API as the subgraph sees it, and pending work; refreshed every few seconds while it is shown. */
export function Health() {
  const answer = useAnswer(HealthNowDocument, {}, { everyMs: EVERY_MS })
  const health = answer.data?.paymentsHealth ?? null
  return (
    <Page title="Health">
      <AnswerFailure of={answer} />
      {health === null ? <Waiting of={answer} what="figures" /> : <Figures health={health} />}
    </Page>
  )
}

function Figures({ health }: { readonly health: HealthNow }) {
  const { serverTime, reads, deliveries, reader, streams } = health
  return (
    <>
      <p>
        As of <Moment at={serverTime} />, as reported by the process that answered.
      </p>
      <Sites health={health} />
      <h2>Backlog</h2>
      <Facts>
        <Fact name="Planned reads run on">{readerText(reader)}</Fact>
        <Fact name="Due reads">{reads.waiting}</Fact>
        <Fact name="Oldest unconfirmed payment">{agoText(reads.oldestUnconfirmedSince, serverTime) ?? 'None'}</Fact>
        <Fact name="Deliveries in doubt">
          <a href={hrefOf('deliveries', null, { disposition: 'DOUBTFUL', attention: 'YES' })}>{deliveries.doubtful}</a>
        </Fact>
        <Fact name="Deliveries in quarantine">
          <a href={hrefOf('deliveries', null, { disposition: 'QUARANTINED' })}>{deliveries.quarantined}</a>
        </Fact>
      </Facts>
      <h2>Open connections</h2>
      <Facts>
        <Fact name="Sockets">{streams.sockets}</Fact>
        <Fact name="Server-sent event streams">{streams.eventStreams}</Fact>
        <Fact name="Router callbacks">{streams.callbacks}</Fact>
        <Fact name="All subscriptions">{streams.subscriptions}</Fact>
      </Facts>
    </>
  )
}

function Sites({ health: { sites, serverTime } }: { readonly health: HealthNow }) {
  return (
    <>
      <h2>Sites</h2>
      <Table caption="Sites" columns={COLUMNS}>
        {sites.map(({ id, currencies, availability, lastAnswerAt, methodsFetchedAt, methodsStale }) => (
          <tr key={id}>
            <th scope="row">{id}</th>
            <td>{currencies.join(', ')}</td>
            <td>
              <Status kind="PaymentsSiteAvailability" of={availability} />
            </td>
            <td>{agoText(lastAnswerAt, serverTime) ?? 'None yet'}</td>
            <td>
              {agoText(methodsFetchedAt, serverTime) ?? 'Never'}
              {methodsStale && <span class="tone look"> (out of date)</span>}
            </td>
          </tr>
        ))}
      </Table>
    </>
  )
}

/** Returns the age of an instant by the server's clock; null for no instant. */
function agoText(at: string | null, serverTime: string): string | null {
  return at === null ? null : `${durationText(Math.max(0, Date.parse(serverTime) - Date.parse(at)))} ago`
}

/** Says which process makes the planned reads. */
function readerText({ here, leaseUntil }: HealthNow['reader']) {
  if (here) return 'This process'
  return leaseUntil === null ? <span class="tone look">No process: planned reads have stopped</span> : 'Another process'
}
