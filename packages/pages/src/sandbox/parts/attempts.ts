import { type Attempt, change } from '../state/endpoints.ts'
import type { Act } from '../state/page-context.ts'

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
