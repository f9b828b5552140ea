import { randomUUID } from 'node:crypto'
import { deliver, paymentBody } from '../support/webhooks.ts'

/** The result of one webhook. */
export type Sent = {
  readonly uuid: string
  /** `performance.now()` when it was sent. */
  readonly at: number
  /** The status of the answer, or the code of the error. */
  readonly result: number | string
  readonly retryAfter: string | null
}

/** Sends signed webhooks from concurrent senders, each until its connection is refused. Returns all results. */
export async function sendUntilRefused(url: string, senders: number): Promise<Sent[]> {
  const all: Sent[] = []
  const sender = async () => {
    for (;;) {
      const sent = await sendOne(url)
      all.push(sent)
      if (sent.result === 'ECONNREFUSED') return
    }
  }
  await Promise.all(Array.from({ length: senders }, sender))
  return all
}

async function sendOne(url: string): Promise<Sent> {
  const uuid = randomUUID()
  const at = performance.now()
  try {
    const { status, headers } = await deliver(`${url}/webhooks/payments`, paymentBody({ uuid }))
    return { uuid, at, result: status, retryAfter: String(headers['retry-after'] ?? '') || null }
  } catch (error) {
    return { uuid, at, result: String((error as NodeJS.ErrnoException).code), retryAfter: null }
  }
}
