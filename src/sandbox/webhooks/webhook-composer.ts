import { sign } from '../../webhooks/signature.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import type { OutgoingWebhook } from './webhook-sender.ts'

/** Something whose webhooks may be kept back for a swapped delivery; `held` is a list while one is armed. */
export type Holder = { held: OutgoingWebhook[] | undefined }

/** Sends a webhook and waits for its first try, or keeps it back while a swapped delivery is armed. Never rejects. */
export async function tell(store: SandboxStore, holder: Holder, webhook: OutgoingWebhook | undefined): Promise<void> {
  if (webhook === undefined) return
  if (holder.held === undefined) {
    await store.sender.send(webhook)
    return
  }
  holder.held.push(webhook)
  if (holder.held.length < 2) return
  const swapped = holder.held.reverse()
  holder.held = undefined
  await Promise.all(swapped.map((held) => store.sender.send(held)))
}

/** The signature of a body under the merchant's secret (docs/payments-api.md, section 6.3). */
export function signatureOf(store: SandboxStore, body: string): string {
  return sign(body, store.webhookSecret)
}
