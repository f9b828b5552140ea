import { useRef } from 'preact/hooks'
import { answerText, resend } from '../parts/attempts.ts'
import { Code, Dialog, Status, Table, Time } from '../parts/small.tsx'
import type { Webhook } from '../state/endpoints.ts'
import { usePage } from '../state/page-context.ts'

/** One webhook: its bytes, its signature, and each attempt with its response. */
export function WebhookDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { snapshot, act } = usePage()
  // Keeps the webhook when newer ones displace it from the list.
  const last = useRef<Webhook | undefined>(undefined)
  last.current = snapshot.webhooks.find((webhook) => webhook.id === id) ?? last.current
  const webhook = last.current
  if (webhook === undefined) return null
  return (
    <Dialog title={`Webhook ${id}`} onClose={onClose}>
      {() => (
        <>
          <p>
            Reports <code>{webhook.subject}</code> as {webhook.status}. <Status status={webhook.outcome} />
            {webhook.nextAttemptAt !== null && (
              <>
                Next attempt: <Time at={webhook.nextAttemptAt} />
              </>
            )}
          </p>
          <p>
            <button type="button" class="button primary" onClick={() => void resend(act, id)}>
              Resend
            </button>
          </p>
          <Table
            caption="Attempts"
            head={['At', 'Answer', 'Duration', 'Sent']}
            rows={webhook.attempts}
            keyOf={({ at }, index) => `${at} ${index}`}
            empty={<p>It is being sent.</p>}
            cells={(attempt) => [
              <Time at={attempt.at} />,
              answerText(attempt),
              `${attempt.durationMs} ms`,
              attempt.resent === true ? 'manually' : 'by the payments API',
            ]}
          />
          <Code label="URL" text={webhook.url} />
          <Code label="HTTP-WEBHOOK-SIGNATURE" text={webhook.signature ?? 'none is sent'} />
          <Code label={`Body, ${new TextEncoder().encode(webhook.body).length} bytes`} text={webhook.body} />
        </>
      )}
    </Dialog>
  )
}
