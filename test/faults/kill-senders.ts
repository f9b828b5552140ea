import { honestHeaders, paymentBody } from '../support/webhooks.ts'

/** What came of the webhooks that were sent: the payments that they named, by the answer. */
export type Answers = {
  /** Answered 200. */
  readonly acknowledged: Set<string>
  /** Answered otherwise: payment and status. */
  readonly refused: Map<string, number>
  /** Never answered, as when the process died: the payments API would send them again. */
  readonly unanswered: Set<string>
}

export type SendOptions = {
  readonly url: string
  readonly senders: number
  /** The next payment to tell of; null for no more. */
  readonly next: () => string | null
  /** Bytes that make each body larger. */
  readonly padding?: number
  /** Called with each answer's status, and the milliseconds that it took. */
  readonly onAnswer?: (status: number, milliseconds: number) => void
}

/** Signed webhooks from many senders at once. Each sends its next one when it has its answer, until there is no more, or nobody answers. */
export async function sendWebhooks(options: SendOptions): Promise<Answers> {
  const { url, senders, next, padding = 0, onAnswer = () => {} } = options
  const answers: Answers = { acknowledged: new Set(), refused: new Map(), unanswered: new Set() }
  const sender = async (): Promise<void> => {
    for (let id = next(); id !== null; id = next()) {
      const sentAt = performance.now()
      const status = await tell(url, bodyOf(id, padding))
      if (status === null) answers.unanswered.add(id)
      else if (status === 200) answers.acknowledged.add(id)
      else answers.refused.set(id, status)
      if (status === null) return
      onAnswer(status, performance.now() - sentAt)
    }
  }
  await Promise.all(Array.from({ length: senders }, sender))
  return answers
}

/** Gives names of payments, one after the other: a number of them, or without end. */
export function names(prefix: string, count = Number.POSITIVE_INFINITY): () => string | null {
  let given = 0
  return () => (given < count ? `${prefix}-${given++}` : null)
}

/** The answer's status; null when none came. */
async function tell(url: string, body: string): Promise<number | null> {
  try {
    const response = await fetch(`${url}/webhooks/payments`, { method: 'POST', headers: honestHeaders(body), body })
    await response.arrayBuffer()
    return response.status
  } catch {
    return null
  }
}

/** The same name always gives the same bytes. */
function bodyOf(id: string, padding: number): string {
  return paymentBody({ uuid: id, ...(padding === 0 ? {} : { merchant_note: 'x'.repeat(padding) }) })
}
