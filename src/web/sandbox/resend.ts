import { change } from './endpoints.ts'
import type { Act } from './page-context.ts'
import type { Attempt } from './shapes.ts'

/** Sends a webhook once more, and tells of the answer. */
export function resend(act: Act, id: string): Promise<boolean> {
  return act(
    () => change<Attempt>(`/webhooks/${id}/resend`, {}),
    (attempt) => `Webhook ${id} was sent again: ${answerText(attempt)}.`,
  )
}

/** One try in a line: the answer, and how long it took. */
export function attemptText(attempt: Attempt): string {
  return `${answerText(attempt)}, ${attempt.durationMs} ms${attempt.resent === true ? ', resent' : ''}`
}

/** The status of the answer, or why there was none. */
export function answerText({ status, error }: Attempt): string {
  return String(status ?? error ?? 'no answer')
}
