import { sendAll } from '../http/send.ts'
import { requestOfWebhook, STATUSES } from './requests.ts'

const CONNECTIONS = 64

/** Stores payments in their first status, by webhooks to the default URL. */
export async function storePayments(url: string, payments: readonly string[]): Promise<void> {
  const requests = payments.map((uuid) => requestOfWebhook(uuid, STATUSES[0]))
  await sendAll(url, requests, { connections: CONNECTIONS, perSecond: null })
}

/**
 * Returns a function that creates the next webhook, from the status at index `first` on: one of each payment, then those of the next
 * status. The function throws after the last webhook.
 */
export function webhooksFrom(first: number, payments: readonly string[]): () => string {
  let sent = 0
  return () => {
    const status = STATUSES[first + Math.floor(sent / payments.length)]
    const uuid = payments[sent % payments.length]
    sent += 1
    if (status === undefined || uuid === undefined) throw new Error('All statuses were sent.')
    return requestOfWebhook(uuid, status)
  }
}
