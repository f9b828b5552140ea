import { usePage } from '../page-context.ts'
import { Table } from '../parts/field-table.tsx'
import { Status, Time } from '../parts/small.tsx'
import { attemptText, resend } from '../webhook-dialog.tsx'

/** The webhooks that were sent. */
export function Webhooks() {
  const { snapshot, query, act, openWebhook } = usePage()
  return (
    <Table
      caption="Webhooks, newest first"
      head={['Id', 'About', 'Kind', 'Status told', 'Outcome', 'Answers', 'Next try', 'Actions']}
      rows={snapshot.webhooks}
      keyOf={({ id }) => id}
      empty={
        <p>
          {query.search === ''
            ? 'No webhook was sent yet. One is sent with every change of a status, to the address that its creation named.'
            : `No webhooks with “${query.search}” in it.`}
        </p>
      }
      cells={(webhook) => [
        <code>{webhook.id}</code>,
        <code>{webhook.subject}</code>,
        webhook.kind,
        webhook.status,
        <Status status={webhook.outcome} />,
        <ol class="plain">
          {webhook.attempts.map((attempt, index) => (
            <li key={index}>{attemptText(attempt)}</li>
          ))}
        </ol>,
        <Time at={webhook.nextAttemptAt} />,
        <div class="actions">
          <button type="button" onClick={() => openWebhook(webhook.id)}>
            Look<span class="visually-hidden"> at webhook {webhook.id}</span>
          </button>
          <button type="button" onClick={() => void resend(act, webhook.id)}>
            Resend<span class="visually-hidden"> webhook {webhook.id}</span>
          </button>
        </div>,
      ]}
    />
  )
}
