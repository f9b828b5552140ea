import type { PaymentStatus } from '../state/link.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import type { OutgoingWebhook, WebhookAttempt, WebhookKind, WebhookRecord } from '../state/webhook-sender.ts'
import { sign } from './sign.ts'

/**
 * A webhook delivery fault. `duplicate`: sends the last body again, byte for byte, `count` times. `late`: sends an older
 * body, or one composed for `status`, without changing the actual status. `forged`: sends the last body, or one composed for
 * `status`, signed with another secret, or with another Authorization value when webhooks are unsigned. `reordered`: holds
 * back the webhooks of the next two changes and sends them in reverse order.
 */
export type WebhookFault<Status extends string = PaymentStatus> = {
  kind: 'duplicate' | 'late' | 'forged' | 'reordered'
  status?: Status
  count?: number
}

/** The result of a fault: the receiver's response to each delivery, `error` when there was none. */
export type WebhookFaultResult = {
  /** True when the `reordered` fault waits for the next two changes; its deliveries appear in the list of webhooks. */
  armed: boolean
  deliveries: WebhookAttempt[]
}

/** An object that sends webhooks, as the faults see it. */
export type WebhookSource<Status extends string> = {
  /** Identifies its webhooks. */
  readonly subject: string
  readonly holder: Holder
  /** Composes the webhook of the current or the given status; undefined when there is no webhook target. */
  compose(kind: WebhookKind, status?: Status): OutgoingWebhook | undefined
}

/** Sends the webhooks of a fault, each once and without retries. Returns undefined when there is nothing to send. */
export async function sendFault<Status extends string>(
  store: SandboxStore,
  source: WebhookSource<Status>,
  fault: WebhookFault<Status>,
): Promise<WebhookFaultResult | undefined> {
  if (fault.kind === 'reordered') {
    source.holder.held ??= []
    return { armed: true, deliveries: [] }
  }
  const { kind } = fault
  const webhook = webhookFor(store, source, { ...fault, kind })
  if (webhook === undefined) return undefined
  const times = kind === 'duplicate' ? (fault.count ?? 1) : 1
  const deliveries = await Promise.all(Array.from({ length: times }, () => store.sender.send(webhook)))
  return { armed: false, deliveries }
}

type Sent<Status extends string> = WebhookFault<Status> & { kind: 'duplicate' | 'late' | 'forged' }

function webhookFor<Status extends string>(
  store: SandboxStore,
  source: WebhookSource<Status>,
  { kind, status }: Sent<Status>,
): OutgoingWebhook | undefined {
  const made = source.compose(kind, status)
  if (made === undefined) return undefined
  const sent = store.sender.records.filter(
    ({ subject, kind: was }) => subject === source.subject && was === 'transition',
  )
  if (kind === 'duplicate') return again(store, made, sent.at(-1))
  if (kind === 'late') return status === undefined ? again(store, made, sent.at(-2) ?? sent.at(-1)) : made
  return forge(store, status === undefined ? (again(store, made, sent.at(-1)) ?? made) : made)
}

function again(
  store: SandboxStore,
  made: OutgoingWebhook,
  record: WebhookRecord | undefined,
): OutgoingWebhook | undefined {
  if (record === undefined) return undefined
  const { status, body } = record
  return { ...made, status, body, signature: made.signature && signatureOf(store, body) }
}

function forge(store: SandboxStore, genuine: OutgoingWebhook): OutgoingWebhook {
  if (genuine.signature === undefined) return { ...genuine, authorization: 'Bearer of-somebody-else' }
  return { ...genuine, signature: sign(genuine.body, `${store.webhookSecret} of another`) }
}

/** An object whose webhooks can be held back for a `reordered` fault; `held` is a list while the fault is armed. */
type Holder = { held: OutgoingWebhook[] | undefined }

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
