import { sendAll } from '../http/send.ts'
import { requestOfWebhook, STATUSES } from './requests.ts'

const CONNECTIONS = 64

/** Stores payments in their first status, by webhooks to the default address. */
export async function storePayments(url: string, payments: readonly string[]): Promise<void> {
  const requests = payments.map((uuid) => requestOfWebhook(uuid, STATUSES[0]))
  await sendAll(url, requests, { connections: CONNECTIONS, perSecond: null })
}

/** Gives webhooks of payments from one of their statuses on: one of each payment before the next status. Throws after the last one. */
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
