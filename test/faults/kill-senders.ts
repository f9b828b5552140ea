import { honestHeaders, paymentBody } from '../support/webhooks.ts'

/** The payments of the webhooks that were sent, by the kind of answer. */
export type Answers = {
  /** Payments whose webhook was answered with 200. */
  readonly acknowledged: Set<string>
  /** Payments whose webhook was answered with another status, with that status. */
  readonly refused: Map<string, number>
  /** Payments whose webhook was not answered, for example because the process died: the payments API would send it again. */
  readonly unanswered: Set<string>
}

export type SendOptions = {
  readonly url: string
  readonly senders: number
  /** Returns the id of the next payment; null for no more. */
  readonly next: () => string | null
  /** Bytes to add to each body. */
  readonly padding?: number
  /** Called after each answer. */
  readonly onAnswer?: () => void
}

/**
 * Sends signed webhooks from concurrent senders. Each sends its next one after the answer, until `next` returns null or an answer is
 * missing.
 */
export async function sendWebhooks(options: SendOptions): Promise<Answers> {
  const { url, senders, next, padding = 0, onAnswer = () => {} } = options
  const answers: Answers = { acknowledged: new Set(), refused: new Map(), unanswered: new Set() }
  const sender = async (): Promise<void> => {
    for (let id = next(); id !== null; id = next()) {
      const status = await tell(url, bodyOf(id, padding))
      if (status === null) answers.unanswered.add(id)
      else if (status === 200) answers.acknowledged.add(id)
      else answers.refused.set(id, status)
      if (status === null) return
      onAnswer()
    }
  }
  await Promise.all(Array.from({ length: senders }, sender))
  return answers
}

/** Creates a function that returns ids of payments: `count` of them and then null, or without end. */
export function names(prefix: string, count = Number.POSITIVE_INFINITY): () => string | null {
  let given = 0
  return () => (given < count ? `${prefix}-${given++}` : null)
}

/** Returns the status of the answer; null if none was received. */
async function tell(url: string, body: string): Promise<number | null> {
  try {
    const response = await fetch(`${url}/webhooks/payments`, { method: 'POST', headers: honestHeaders(body), body })
    await response.arrayBuffer()
    return response.status
  } catch {
    return null
  }
}

/** Equal ids have equal bytes. */
function bodyOf(id: string, padding: number): string {
  return paymentBody({ uuid: id, ...(padding === 0 ? {} : { merchant_note: 'x'.repeat(padding) }) })
}
