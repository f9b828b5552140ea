import { useMutation } from '@urql/preact'
import { Icon } from '../../design/icons.tsx'
import { CancelReplayDocument, ReplayNowDocument, type ReplayNowQuery } from '../generated/graphql.ts'
import { AnswerFailure, documentOf, RequestFailure, useAnswer, useSingle } from '../pieces/answers.tsx'
import { Bar } from '../pieces/bars.tsx'
import { lookOfRaw } from '../pieces/history.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Banner, Page, Table, Waiting } from '../pieces/page.tsx'
import { Status, wordsOf } from '../pieces/values.tsx'
import type { Route } from '../routes/route.ts'
import { filterIn } from './deliveries.tsx'
import { DeliverySubject, subjectOf } from './delivery-subject.tsx'
import { useReplay } from './replay-several.tsx'

const EVERY_MS = 2_000

type ReplayNow = NonNullable<ReplayNowQuery['webhookReplay']>
type Of = { readonly of: ReplayNow }

/** A replay of several deliveries: its plan, which changes nothing, or its progress and results. */
export function Replay({ id, route }: { readonly id: string; readonly route: Route }) {
  const answer = useAnswer(ReplayNowDocument, { id }, { everyMs: EVERY_MS })
  const now = answer.data?.webhookReplay ?? null
  const { isBusy, replay, failure } = useReplay(route.params, filterIn(route.params))
  const replayable = now === null ? 0 : now.matched - now.notReplayable
  return (
    <Page
      title={`Replay ${id}`}
      in="deliveries"
      heading={now === null ? id : titleOf(now)}
      actions={
        now?.dryRun === true &&
        now.state === 'DONE' &&
        !now.cancelled &&
        replayable > 0 && (
          <button class="button primary" type="button" disabled={isBusy} onClick={() => replay(true)}>
            <Icon name="play" />
            <span>Replay {countOf(replayable)}</span>
          </button>
        )
      }
    >
      {failure}
      <AnswerFailure of={answer} />
      {now === null ? (
        <Waiting of={answer} what={`replays with the id ${id}`} />
      ) : (
        <div class="stack-5">
          {now.state === 'RUNNING' && <Running of={now} onCancelled={answer.askAgain} />}
          {now.cancelled && (
            <Banner tone="look" glyph="pause" title={`Stopped after ${countOf(now.matched)}`}>
              <p>The others are as they were.</p>
            </Banner>
          )}
          {now.dryRun && now.changed > 0 && (
            <Banner tone="look" glyph="doubt" title={`${countOf(now.changed)} would change a status`}>
              <p>
                Nothing has been changed yet. Everyone who follows these subjects is notified, as if the webhooks
                arrived now.
              </p>
            </Banner>
          )}
          <Counts of={now} />
          <Results of={now} />
        </div>
      )}
    </Page>
  )
}

function titleOf({ dryRun, state, matched }: ReplayNow): string {
  if (dryRun) return `Plan: replay ${countOf(matched)}`
  return state === 'RUNNING' ? `Replaying ${countOf(matched)}` : `Replayed ${countOf(matched)}`
}

function countOf(count: number): string {
  return `${count} ${count === 1 ? 'delivery' : 'deliveries'}`
}

function Running({ of: { id, dryRun, matched, progress }, onCancelled }: Of & { readonly onCancelled: () => void }) {
  const [{ error }, execute] = useMutation(documentOf(CancelReplayDocument))
  const [isBusy, cancel] = useSingle(async () => {
    await execute({ id })
    onCancelled()
  })
  return (
    <section class="card running" aria-label="Progress">
      <div class="row">
        <span class="row push">
          <button class="button" type="button" disabled={isBusy} onClick={cancel}>
            <Icon name="close" />
            <span>Cancel</span>
          </button>
        </span>
      </div>
      <ul class="bars">
        <Bar
          name={`${countOf(matched)} ${dryRun ? 'simulated' : 'replayed'}`}
          figure={`${progress} %`}
          part={progress / 100}
          tone="now"
        />
      </ul>
      <p class="small faint">It continues when you leave this page.</p>
      <RequestFailure error={error} />
    </section>
  )
}

function Counts({ of: now }: Of) {
  const figures: readonly (readonly [name: string, count: number])[] = [
    [now.dryRun ? 'Would change a status' : 'Changed a status', now.changed],
    ['No change', now.unchanged],
    ['Decided by a read', now.awaitingRead],
    ['Cannot be replayed', now.notReplayable],
    ...(now.failed > 0 ? [['Failed, see the log', now.failed] as const] : []),
  ]
  return (
    <>
      <dl class="strip">
        {figures.map(([name, count]) => (
          <div key={name} class="key-figure">
            <dt>{name}</dt>
            <dd class="value">{count}</dd>
          </div>
        ))}
      </dl>
      <p class="small faint">
        Requested {now.requestedBy !== null && `by ${now.requestedBy} `}
        <Moment at={now.requestedAt} />
        {now.doneAt !== null && (
          <>
            , ended <Moment at={now.doneAt} />
          </>
        )}
      </p>
    </>
  )
}

const COLUMNS = ['Subject', 'Before', 'After', 'Status', 'Note']

function Results({ of: { results, dryRun } }: Of) {
  if (results.length === 0) return null
  const title = dryRun ? 'What would happen' : 'Results'
  return (
    <section class="card" aria-label={title}>
      <Table caption={title} columns={COLUMNS} isFolding>
        {results.map(({ deliveryId, delivery, dispositionBefore, dispositionAfter, refusal, ...statuses }) => {
          const word = (raw: string | null) =>
            lookOfRaw((delivery && subjectOf(delivery)?.prefix) ?? '', raw ?? '').word
          const { statusBefore, statusAfter } = statuses
          return (
            <tr key={deliveryId}>
              <th scope="row" class="lead">
                {delivery === null ? <code>{deliveryId}</code> : <DeliverySubject of={delivery} />}
              </th>
              <td class="drop">
                {dispositionBefore && <Status kind="PaymentWebhookDisposition" of={dispositionBefore} />}
              </td>
              <td class="end lead">
                {dispositionAfter && <Status kind="PaymentWebhookDisposition" of={dispositionAfter} />}
              </td>
              <td>
                {statusAfter !== null &&
                  `${statusBefore === null ? 'Unknown' : word(statusBefore)} → ${word(statusAfter)}`}
              </td>
              <td class="faint">{refusal === null ? '' : `Not replayed: ${wordsOf(refusal).toLowerCase()}`}</td>
            </tr>
          )
        })}
      </Table>
      {results.length === MOST && <p class="note">The first {MOST} are shown.</p>}
    </section>
  )
}

/** Results that a replay keeps. */
const MOST = 50
