import { HealthNowDocument, type HealthNowQuery } from '../generated/graphql.ts'
import { AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import { Fact, Facts, Page, Waiting, Table } from '../pieces/page.tsx'
import { durationText, Moment, Status } from '../pieces/values.tsx'
import { hrefOf } from '../routes/route.ts'

const EVERY_MS = 3_000
const COLUMNS = ['Site', 'Currencies', 'The payments API', 'Last answer', 'Methods read']

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
        As of <Moment at={serverTime} />, as the process sees it that answered.
      </p>
      <Sites health={health} />
      <h2>What waits</h2>
      <Facts>
        <Fact name="Who makes the planned reads">{readerText(reader)}</Fact>
        <Fact name="Reads that are due">{reads.waiting}</Fact>
        <Fact name="Unconfirmed for longest">{agoText(reads.oldestUnconfirmedSince, serverTime) ?? 'Nothing is'}</Fact>
        <Fact name="Deliveries in doubt">
          <a href={hrefOf('deliveries', null, { disposition: 'DOUBTFUL', attention: 'YES' })}>{deliveries.doubtful}</a>
        </Fact>
        <Fact name="Deliveries in quarantine">
          <a href={hrefOf('deliveries', null, { disposition: 'QUARANTINED' })}>{deliveries.quarantined}</a>
        </Fact>
      </Facts>
      <h2>What is open</h2>
      <Facts>
        <Fact name="Sockets">{streams.sockets}</Fact>
        <Fact name="Streams of server-sent events">{streams.eventStreams}</Fact>
        <Fact name="Callbacks of routers">{streams.callbacks}</Fact>
        <Fact name="Subscriptions in all">{streams.subscriptions}</Fact>
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
              <Status of={availability} />
            </td>
            <td>{agoText(lastAnswerAt, serverTime) ?? 'None yet'}</td>
            <td>
              {agoText(methodsFetchedAt, serverTime) ?? 'Not yet'}
              {methodsStale && <span class="warn"> (out of date)</span>}
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
  if (here) return 'The process that answered'
  return leaseUntil === null ? <span class="warn">No process: nothing is read as planned</span> : 'Another process'
}
