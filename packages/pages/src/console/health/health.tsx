import type { ComponentChildren } from 'preact'
import { REFUSALS } from '../deliveries/delivery-words.ts'
import { HealthNowDocument, type HealthNowQuery, type PaymentsReadUrgency } from '../generated/graphql.ts'
import { AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import { Bar, Track } from '../pieces/bars.tsx'
import { agoText, durationText, Moment } from '../pieces/moments.tsx'
import { Fact, Facts, Page, Table, Waiting } from '../pieces/page.tsx'
import { type Look, lookOf, type Tone } from '../pieces/statuses.ts'
import { Marked, Status } from '../pieces/values.tsx'
import { hrefOf } from '../routes/route.ts'

const EVERY_MS = 2_000
/** Share of a limit from which it is marked. */
const NEARLY = 0.9

type HealthNow = NonNullable<HealthNowQuery['paymentsHealth']>

/** How the payments API answers each site, as observed, and what waits; refreshed every two seconds while it is shown. */
export function Health() {
  const answer = useAnswer(HealthNowDocument, {}, { everyMs: EVERY_MS })
  const health = answer.data?.paymentsHealth ?? null
  return (
    <Page title="Health" actions={health !== null && <HealthStatus of={health} />}>
      <AnswerFailure of={answer} />
      {health === null ? (
        <section class="card rows" aria-label="Health">
          <Waiting of={answer} what="figures" />
        </section>
      ) : (
        <div class="grid rows" aria-busy={answer.isOld}>
          <Sites health={health} />
          <Reads health={health} />
          <Webhooks health={health} />
          <Node health={health} />
          <Streams health={health} />
        </div>
      )}
    </Page>
  )
}

/** Everything in a word. */
function HealthStatus({ of: { sites, reader } }: { readonly of: HealthNow }) {
  const bad = sites.filter(({ availability }) => availability !== 'AVAILABLE')
  const tones = bad.map(({ availability }) => lookOf('PaymentsSiteAvailability', availability).tone)
  const down = tones.filter((tone) => tone === 'fault').length
  const isStopped = !reader.here && reader.leaseUntil === null
  const look: Look =
    down > 0
      ? {
          tone: 'fault',
          glyph: 'fail',
          word: `${down} of ${sites.length} ${sites.length === 1 ? 'site' : 'sites'} down`,
        }
      : isStopped
        ? { tone: 'look', glyph: 'doubt', word: 'Planned reads have stopped' }
        : bad.length > 0
          ? { tone: 'look', glyph: 'doubt', word: `${bad.length} of ${sites.length} impaired` }
          : { tone: 'here', glyph: 'done', word: 'Everything works' }
  return <Marked look={look} isFilled />
}

type CardProps = {
  readonly title: string
  readonly sub?: ComponentChildren
  readonly isWide?: boolean
  readonly children: ComponentChildren
}

function Card({ title, sub, isWide = false, children }: CardProps) {
  const id = title.toLowerCase().replaceAll(' ', '-')
  return (
    <section class={isWide ? 'card' : 'card c6'} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {sub !== undefined && <span class="sub push">{sub}</span>}
      </header>
      {isWide ? children : <div class="body">{children}</div>}
    </section>
  )
}

type Props = { readonly health: HealthNow }

const COLUMNS = [
  'Site',
  'State',
  ['Failed', 'number'],
  'Share failed',
  ['Last success', 'number'],
  ['p95', 'number'],
  ['Methods read', 'number'],
] as const

function Sites({ health: { sites, serverTime } }: Props) {
  return (
    <Card title="Calls to the payments API" sub="Last 15 minutes, by the process that answered" isWide>
      <Table caption="Sites" columns={COLUMNS} isFolding>
        {sites.map(({ id, currencies, availability, calls, lastAnswerAt, methodsFetchedAt, methodsStale }) => {
          const part = calls.count === 0 ? 0 : calls.failedCount / calls.count
          const tone = toneOf(availability, part)
          return (
            <tr key={id}>
              <th scope="row" class="lead">
                <span class="strong">{id}</span> <span class="faint">{currencies.join(', ')}</span>
              </th>
              <td class="end lead">
                <Status kind="PaymentsSiteAvailability" of={availability} />
              </td>
              <td class="number">
                <span class={tone === 'here' ? undefined : `tone ${tone} medium`}>
                  {calls.failedCount} of {calls.count}
                </span>
              </td>
              <td class="part drop">
                <Track part={part} tone={tone} />
              </td>
              <td class="number end">{sinceText(lastAnswerAt, serverTime) ?? 'None yet'}</td>
              <td class="number drop">{calls.p95Ms === null ? '–' : durationText(calls.p95Ms)}</td>
              <td class="number drop">
                {sinceText(methodsFetchedAt, serverTime) ?? 'Never'}
                {methodsStale && <span class="note-tag look">Out of date</span>}
              </td>
            </tr>
          )
        })}
      </Table>
    </Card>
  )
}

function toneOf(availability: HealthNow['sites'][number]['availability'], part: number): Tone {
  const { tone } = lookOf('PaymentsSiteAvailability', availability)
  return tone === 'here' && part >= 0.05 ? 'look' : tone
}

const URGENCIES: Readonly<Record<PaymentsReadUrgency, string>> = {
  DOUBT: 'Unconfirmed or in doubt',
  EXPIRY: 'Expired links',
  POLL: 'Payments under way',
}

function Reads({ health: { reads, reader, serverTime } }: Props) {
  const most = Math.max(1, ...reads.due.map(({ count }) => count))
  const oldest = sinceText(reads.oldestUnconfirmedSince, serverTime)
  return (
    <Card title="Reads waiting" sub={`${reads.waiting}, most urgent first`}>
      <ul class="bars">
        {reads.due.map(({ urgency, count }) => (
          <Bar
            key={urgency}
            name={URGENCIES[urgency] ?? urgency}
            about={urgency === 'DOUBT' && oldest !== null ? `oldest ${oldest}` : undefined}
            figure={count}
            part={count / most}
            tone={urgency === 'DOUBT' && count > 0 ? 'look' : 'now'}
          />
        ))}
      </ul>
      <Facts>
        <Fact name="Planned reads run on">{readerText(reader)}</Fact>
      </Facts>
    </Card>
  )
}

function Webhooks({ health: { webhooks, deliveries } }: Props) {
  const { recent, refused } = webhooks
  const all = refused.filter(({ count }) => count > 0)
  const most = Math.max(1, ...all.map(({ count }) => count))
  return (
    <Card title="Webhooks" sub={`${recent.count} in the last 15 minutes`}>
      <Facts>
        <Fact name="Answered within">
          {recent.medianMs === null ? '–' : `${recent.medianMs} ms (median), ${recent.p95Ms} ms (p95)`}
        </Fact>
        <Fact name="Doubtful">
          <a href={hrefOf('deliveries', null, { disposition: 'DOUBTFUL', attention: 'YES' })}>{deliveries.doubtful}</a>
        </Fact>
        <Fact name="Quarantined">
          <a href={hrefOf('deliveries', null, { disposition: 'QUARANTINED' })}>{deliveries.quarantined}</a>
        </Fact>
        <Fact name="Refused">
          {all.length === 0 ? 'None' : <a href={hrefOf('deliveries', null, { refused: 'YES' })}>By reason</a>}
        </Fact>
      </Facts>
      <ul class="bars">
        {all.map(({ reason, count, lastAt }) => (
          <Bar
            key={reason}
            name={REFUSALS[reason]?.word ?? reason}
            about={
              <>
                last <Moment at={lastAt} />
              </>
            }
            figure={count}
            part={count / most}
            tone="look"
          />
        ))}
      </ul>
    </Card>
  )
}

function Node({ health: { node, serverTime } }: Props) {
  const { behind, disk } = node
  const part = disk === null ? null : 1 - disk.freeMegabytes / disk.totalMegabytes
  return (
    <Card title="This node" sub={<Moment at={serverTime} isTime />}>
      <ul class="bars">
        <Bar
          name="Events behind the log"
          figure={behind}
          part={null}
          tone={behind > 0 ? 'look' : 'here'}
          about={behind === 0 ? 'up to date' : undefined}
        />
        {disk !== null && part !== null && (
          <Bar
            name="Disk"
            about={`${gigabytes(disk.freeMegabytes)} GB free`}
            figure={`${gigabytes(disk.totalMegabytes - disk.freeMegabytes)} of ${gigabytes(disk.totalMegabytes)} GB`}
            part={part}
            tone={part >= NEARLY ? 'look' : 'now'}
          />
        )}
      </ul>
    </Card>
  )
}

function gigabytes(megabytes: number): string {
  return (megabytes / 1_000).toLocaleString(navigator.language, { maximumFractionDigits: 1 })
}

function Streams({ health: { streams } }: Props) {
  return (
    <Card title="Open connections" sub="Of this node">
      <Facts>
        <Fact name="WebSockets">{streams.sockets}</Fact>
        <Fact name="Event streams">{streams.eventStreams}</Fact>
        <Fact name="Router callbacks">{streams.callbacks}</Fact>
        <Fact name="All subscriptions">{streams.subscriptions}</Fact>
      </Facts>
    </Card>
  )
}

/** Returns the age of an instant by the server's clock; null for no instant. */
function sinceText(at: string | null, serverTime: string): string | null {
  return at === null ? null : agoText(Math.min(Date.parse(at), Date.parse(serverTime)), Date.parse(serverTime))
}

/** Says which process makes the planned reads. */
function readerText({ here, leaseUntil }: HealthNow['reader']) {
  if (here) return 'This process'
  return leaseUntil === null ? <span class="tone look">No process: planned reads have stopped</span> : 'Another process'
}
