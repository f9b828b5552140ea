import { sign } from '../webhook/signature.ts'
import { failureReason } from './failures.ts'
import type { Link } from './link.ts'
import type { TellOptions } from './payment-object.ts'
import type { PaymentStatus } from './status.ts'
import { composeWebhook } from './transitions.ts'
import type { OutgoingWebhook, WebhookAttempt, WebhookRecord } from './webhook-sender.ts'
import type { World } from './world.ts'

/**
 * A mishap on the way of webhooks. `duplicate`: the last body again, byte for byte, `count` times. `late`: an older
 * body, or one made for `status`, now and without a change of the truth. `forged`: the last body, or one made for
 * `status`, with a signature of another secret. `reordered`: the next two transitions are kept back and sent swapped.
 */
export type Mishap = {
  kind: 'duplicate' | 'late' | 'forged' | 'reordered'
  status?: PaymentStatus
  count?: number
}

/** What became of a mishap: the answer of the receiver to each delivery, `error` where there was no answer. */
export type MishapResult = {
  /** True when the swap waits for the next two transitions; its deliveries show among the webhooks. */
  armed: boolean
  deliveries: WebhookAttempt[]
}

/** Sends what the mishap says, each once and without retries. Gives undefined when there is nothing to send. */
export async function causeMishap(world: World, link: Link, mishap: Mishap): Promise<MishapResult | undefined> {
  if (mishap.kind === 'reordered') {
    link.held ??= []
    return { armed: true, deliveries: [] }
  }
  const { kind } = mishap
  const webhook = webhookFor(world, link, { ...mishap, kind })
  if (webhook === undefined) return undefined
  const times = kind === 'duplicate' ? (mishap.count ?? 1) : 1
  const deliveries = await Promise.all(Array.from({ length: times }, () => world.sender.send(webhook)))
  return { armed: false, deliveries }
}

type Sent = Mishap & { kind: 'duplicate' | 'late' | 'forged' }

function webhookFor(world: World, link: Link, { kind, status }: Sent): OutgoingWebhook | undefined {
  const made = composeWebhook(world, link, kind, toldFor(status))
  if (made === undefined) return undefined
  const sent = sentBefore(world, link)
  if (kind === 'duplicate') return again(world, made, sent.at(-1))
  if (kind === 'late') return status === undefined ? again(world, made, sent.at(-2) ?? sent.at(-1)) : made
  const genuine = status === undefined ? (again(world, made, sent.at(-1)) ?? made) : made
  return { ...genuine, signature: sign(genuine.body, `${world.webhookSecret} of another`) }
}

/** A failure needs a reason in its body; every other status is told without a `pay_code`. */
function toldFor(status: PaymentStatus | undefined): TellOptions {
  if (status === undefined) return {}
  return { status, payCode: status === 'failed' ? { ...failureReason('generic_declined') } : null }
}

function again(world: World, made: OutgoingWebhook, record: WebhookRecord | undefined): OutgoingWebhook | undefined {
  if (record === undefined) return undefined
  const { status, body } = record
  return { ...made, status, body, signature: sign(body, world.webhookSecret) }
}

function sentBefore(world: World, link: Link): WebhookRecord[] {
  return world.sender.records.filter((record) => record.subject === link.uuid && record.kind === 'transition')
}
