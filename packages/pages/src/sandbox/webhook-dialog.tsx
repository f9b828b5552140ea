import { useRef } from 'preact/hooks'
import { type Webhook, change, type Attempt } from './endpoints.ts'
import { usePage, type Act } from './page-context.ts'
import { Table, Dialog, Code, Status, Time } from './parts/small.tsx'

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
            Reports <code>{webhook.subject}</code> as {webhook.status}; <Status status={webhook.outcome} />
            {webhook.nextAttemptAt !== null && (
              <>
                , next attempt at <Time at={webhook.nextAttemptAt} />
              </>
            )}
            .
          </p>
          <p>
            <button type="button" class="primary" onClick={() => void resend(act, id)}>
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

/** Sends a webhook again and shows the response. */
export function resend(act: Act, id: string): Promise<boolean> {
  return act(
    () => change<Attempt>(`/webhooks/${id}/resend`, {}),
    (attempt) => `Webhook ${id} was sent again: ${answerText(attempt)}.`,
  )
}

/** Returns one attempt as a line of text: the response and its duration. */
export function attemptText(attempt: Attempt): string {
  return `${answerText(attempt)}, ${attempt.durationMs} ms${attempt.resent === true ? ', resent' : ''}`
}

/** Returns the status of the response, or why there was none. */
export function answerText({ status, error }: Attempt): string {
  return String(status ?? error ?? 'no answer')
}
