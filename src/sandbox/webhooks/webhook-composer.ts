import { sign } from '../../webhooks/signature.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import type { OutgoingWebhook } from './webhook-sender.ts'

/** An object whose webhooks can be held back for a `reordered` fault; `held` is a list while the fault is armed. */
export type Holder = { held: OutgoingWebhook[] | undefined }

/** Sends a webhook and waits for its first attempt, or holds it back while a `reordered` fault is armed. Never rejects. */
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

/** Signs a body with the merchant's secret (docs/payments-api.md, section 6.3). */
export function signatureOf(store: SandboxStore, body: string): string {
  return sign(body, store.webhookSecret)
}
