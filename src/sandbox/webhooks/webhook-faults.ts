import { sign } from '../../webhooks/signature.ts'
import type { PaymentStatus } from '../payments/status.ts'
import type { World } from '../state/sandbox-state.ts'
import { signatureOf } from './webhook-composer.ts'
import type { Holder } from './webhook-composer.ts'
import type { OutgoingWebhook, WebhookAttempt, WebhookKind, WebhookRecord } from './webhook-sender.ts'

/**
 * A mishap on the way of webhooks. `duplicate`: the last body again, byte for byte, `count` times. `late`: an older
 * body, or one made for `status`, now and without a change of the truth. `forged`: the last body, or one made for
 * `status`, with a signature of another secret, or another Authorization value where none is signed. `reordered`: the
 * next two changes are kept back and sent swapped.
 */
export type Mishap<Status extends string = PaymentStatus> = {
  kind: 'duplicate' | 'late' | 'forged' | 'reordered'
  status?: Status
  count?: number
}

/** What became of a mishap: the answer of the receiver to each delivery, `error` where there was no answer. */
export type MishapResult = {
  /** True when the swap waits for the next two changes; its deliveries show among the webhooks. */
  armed: boolean
  deliveries: WebhookAttempt[]
}

/** Something that sends webhooks, as mishaps need to know it. */
export type Teller<Status extends string> = {
  /** By which its webhooks are known. */
  readonly subject: string
  readonly holder: Holder
  /** The webhook of the present status, or of another one; undefined when there is no address. */
  compose(kind: WebhookKind, status?: Status): OutgoingWebhook | undefined
}

/** Sends what the mishap says, each once and without retries. Gives undefined when there is nothing to send. */
export async function causeMishap<Status extends string>(
  world: World,
  teller: Teller<Status>,
  mishap: Mishap<Status>,
): Promise<MishapResult | undefined> {
  if (mishap.kind === 'reordered') {
    teller.holder.held ??= []
    return { armed: true, deliveries: [] }
  }
  const { kind } = mishap
  const webhook = webhookFor(world, teller, { ...mishap, kind })
  if (webhook === undefined) return undefined
  const times = kind === 'duplicate' ? (mishap.count ?? 1) : 1
  const deliveries = await Promise.all(Array.from({ length: times }, () => world.sender.send(webhook)))
  return { armed: false, deliveries }
}

type Sent<Status extends string> = Mishap<Status> & { kind: 'duplicate' | 'late' | 'forged' }

function webhookFor<Status extends string>(
  world: World,
  teller: Teller<Status>,
  { kind, status }: Sent<Status>,
): OutgoingWebhook | undefined {
  const made = teller.compose(kind, status)
  if (made === undefined) return undefined
  const sent = world.sender.records.filter(
    ({ subject, kind: was }) => subject === teller.subject && was === 'transition',
  )
  if (kind === 'duplicate') return again(world, made, sent.at(-1))
  if (kind === 'late') return status === undefined ? again(world, made, sent.at(-2) ?? sent.at(-1)) : made
  return forge(world, status === undefined ? (again(world, made, sent.at(-1)) ?? made) : made)
}

function again(world: World, made: OutgoingWebhook, record: WebhookRecord | undefined): OutgoingWebhook | undefined {
  if (record === undefined) return undefined
  const { status, body } = record
  return { ...made, status, body, signature: made.signature && signatureOf(world, body) }
}

function forge(world: World, genuine: OutgoingWebhook): OutgoingWebhook {
  if (genuine.signature === undefined) return { ...genuine, authorization: 'Bearer of-somebody-else' }
  return { ...genuine, signature: sign(genuine.body, `${world.webhookSecret} of another`) }
}
