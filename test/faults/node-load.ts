import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { CREATE_LINK, type CreateLinkResult, linkInput } from '../support/operations.ts'
import { honestHeaders, paymentBody } from '../support/webhooks.ts'
import { askOnce } from './process-client.ts'

/** Webhooks and commands that are sent continuously to nodes, to another one after each answer. */
export type Load = {
  /** The nodes that get requests, by URL. A removed node may still be answering. */
  readonly nodes: Set<string>
  /** Payments whose webhook was answered with 200. */
  readonly payments: ReadonlySet<string>
  /** Links that were created. */
  readonly links: ReadonlySet<string>
  /** Answers that no client would expect, in words. */
  readonly faults: readonly string[]
  /** Resolves when some more webhooks and commands have been answered, all sent after the call. */
  more(): Promise<void>
  /** Ends the load once everything that was sent is answered. */
  stop(): Promise<void>
}

const SENDERS = 4
/** Milliseconds between two requests of a sender, so that processes can start meanwhile. */
const PAUSE_MS = 20
/** Milliseconds after which a sender gives up a request and sends it again. */
const ANSWER_MS = 15_000
/** A node refuses for now, or a load balancer got no answer from its node. */
const REPEATED: ReadonlySet<number> = new Set([502, 503])
const MORE = { payments: 12, links: 2 }

export type LoadOptions = {
  /** Whether links are created, too. Default: true. */
  readonly commands?: boolean
  /** To how many nodes at once each webhook is sent. Default: 1. */
  readonly copies?: number
}

/**
 * Starts the load. What is not answered, or answered with 502 or 503, is sent again with the same bytes or key, as the payments API and
 * clients do.
 */
export function startLoad(urls: readonly string[], { commands = true, copies = 1 }: LoadOptions = {}): Load {
  const nodes = new Set(urls)
  const payments = new Set<string>()
  const links = new Set<string>()
  const faults: string[] = []
  const answered = new EventEmitter()
  let ended = false
  let turn = 0
  const next = (): string => [...nodes][turn++ % nodes.size] ?? ''

  const repeat = async (send: () => Promise<void>): Promise<void> => {
    while (!ended) {
      await send()
      answered.emit('answer')
      await sleep(PAUSE_MS)
    }
  }
  const webhook = async (): Promise<void> => {
    const id = randomUUID()
    const status = await persist(() => tellAll(Array.from({ length: copies }, next), id))
    if (status === 200) payments.add(id)
    else faults.push(`a webhook was answered with ${status}`)
  }
  const command = async (): Promise<void> => {
    const input = linkInput()
    const result = await persist(() => createLink(next(), input))
    if (result.link === undefined) faults.push(`a command was answered with ${JSON.stringify(result)}`)
    else links.add(result.link.id)
  }
  const senders = [...Array.from({ length: SENDERS }, () => repeat(webhook)), ...(commands ? [repeat(command)] : [])]

  return {
    nodes,
    payments,
    links,
    faults,
    async more() {
      const goal = {
        payments: payments.size + SENDERS + MORE.payments,
        links: commands ? links.size + 1 + MORE.links : 0,
      }
      while (payments.size < goal.payments || links.size < goal.links) {
        if (faults.length > 0) throw new Error(faults.join('\n'))
        await once(answered, 'answer')
      }
    },
    async stop() {
      ended = true
      await Promise.all(senders)
    },
  }
}

/** Repeats a request until it has a result: null means that it has to be sent again. */
async function persist<Result>(send: () => Promise<Result | null>): Promise<Result> {
  for (;;) {
    const result = await send().catch(() => null)
    if (result !== null) return result
    await sleep(PAUSE_MS)
  }
}

/** Sends a webhook to several nodes at once. Returns null if it is to be sent again, and otherwise 200 only if no node refused it. */
async function tellAll(urls: readonly string[], uuid: string): Promise<number | null> {
  const answers = await Promise.all(urls.map((url) => tell(url, uuid).catch(() => null)))
  const final = answers.filter((status) => status !== null)
  return final.find((status) => status !== 200) ?? final[0] ?? null
}

async function tell(url: string, uuid: string): Promise<number | null> {
  const body = paymentBody({ uuid })
  const signal = AbortSignal.timeout(ANSWER_MS)
  const headers = honestHeaders(body)
  const response = await fetch(`${url}/webhooks/payments`, { method: 'POST', headers, body, signal })
  await response.arrayBuffer()
  return REPEATED.has(response.status) ? null : response.status
}

async function createLink(url: string, input: Record<string, unknown>): Promise<CreateLinkResult | null> {
  const { status, data, errors } = await askOnce<{ createPaymentLink: CreateLinkResult } | null>(url, CREATE_LINK, {
    input,
  })
  if (REPEATED.has(status)) return null
  const result = data?.createPaymentLink
  // An earlier attempt under this key is still being carried out.
  if (result?.__typename === 'PaymentsIdempotencyConflictError' && result['inProgress'] === true) return null
  return result ?? { __typename: 'Errors', status, errors }
}
