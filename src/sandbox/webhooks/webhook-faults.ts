import { sign } from '../../webhooks/signature.ts'
import type { PaymentStatus } from '../payments/status.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { signatureOf } from './webhook-composer.ts'
import type { Holder } from './webhook-composer.ts'
import type { OutgoingWebhook, WebhookAttempt, WebhookKind, WebhookRecord } from './webhook-sender.ts'

/**
 * A fault on the way of webhooks. `duplicate`: the last body again, byte for byte, `count` times. `late`: an older
 * body, or one made for `status`, now and without a change of the truth. `forged`: the last body, or one made for
 * `status`, with a signature of another secret, or another Authorization value where none is signed. `reordered`: the
 * next two changes are kept back and sent swapped.
 */
export type WebhookFault<Status extends string = PaymentStatus> = {
  kind: 'duplicate' | 'late' | 'forged' | 'reordered'
  status?: Status
  count?: number
}

/** What became of a fault: the answer of the receiver to each delivery, `error` where there was no answer. */
export type WebhookFaultResult = {
  /** True when the swap waits for the next two changes; its deliveries show among the webhooks. */
  armed: boolean
  deliveries: WebhookAttempt[]
}

/** Something that sends webhooks, as faults need to know it. */
export type WebhookSource<Status extends string> = {
  /** By which its webhooks are known. */
  readonly subject: string
  readonly holder: Holder
  /** The webhook of the present status, or of another one; undefined when there is no address. */
  compose(kind: WebhookKind, status?: Status): OutgoingWebhook | undefined
}

/** Sends what the fault says, each once and without retries. Gives undefined when there is nothing to send. */
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
