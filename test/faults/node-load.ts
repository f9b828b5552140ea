import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { CREATE_LINK, type CreateLinkResult, linkInput } from '../support/operations.ts'
import { honestHeaders, paymentBody } from '../support/webhooks.ts'
import { askOnce } from './process-client.ts'

/** Webhooks, commands and queries that are sent continuously to nodes, to another one after each answer. */
export type Load = {
  /** The nodes that get requests, by URL. A removed node may still be answering. */
  readonly nodes: Set<string>
  /** Payments whose webhook was answered with 200. */
  readonly payments: ReadonlySet<string>
  /** Links that were created. */
  readonly links: ReadonlySet<string>
  /** Number of responses by kind and status, such as `webhook 200`; `failed` instead of a status if there was none. */
  readonly answers: ReadonlyMap<string, number>
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
  /** How many links are created at a time. Default: 1. */
  readonly commands?: number
  /** How many queries are sent at a time. Default: 0. */
  readonly queries?: number
  /** To how many nodes at once each webhook is sent. Default: 1. */
  readonly copies?: number
}

/**
 * Starts the load. What is not answered, or answered with 502 or 503, is sent again with the same bytes or key, as the payments API and
 * clients do.
 */
export function startLoad(urls: readonly string[], { commands = 1, queries = 0, copies = 1 }: LoadOptions = {}): Load {
  const nodes = new Set(urls)
  const payments = new Set<string>()
  const links = new Set<string>()
  const faults: string[] = []
  const answers = new Map<string, number>()
  const answered = new EventEmitter()
  let ended = false
  let turn = 0
  const next = (): string => [...nodes][turn++ % nodes.size] ?? ''

  /** Counts the response, and returns null if the request is to be sent again. */
  const counted = async <Result>(kind: string, send: () => Promise<Told<Result>>): Promise<Result | null> => {
    const told = await send().catch(() => null)
    const key = `${kind} ${told?.status ?? 'failed'}`
    answers.set(key, (answers.get(key) ?? 0) + 1)
    return told === null || REPEATED.has(told.status) ? null : told.result
  }
  const repeat = async (send: () => Promise<void>): Promise<void> => {
    while (!ended) {
      await send()
      answered.emit('answer')
      await sleep(PAUSE_MS)
    }
  }
  const webhook = async (): Promise<void> => {
    const id = randomUUID()
    const status = await persist(() =>
      tellAll(Array.from({ length: copies }, next), (url) => counted('webhook', () => tell(url, id))),
    )
    if (status === 200) payments.add(id)
    else faults.push(`a webhook was answered with ${status}`)
  }
  const command = async (): Promise<void> => {
    const input = linkInput()
    const result = await persist(() => counted('command', () => createLink(next(), input)))
    if (result.link === undefined) faults.push(`a command was answered with ${JSON.stringify(result)}`)
    else links.add(result.link.id)
  }
  const query = async (): Promise<void> => {
    const data = await persist(() => counted('query', () => readPayments(next())))
    if (data?.payments === undefined) faults.push('a query was answered without data')
  }
  const senders = [
    ...Array.from({ length: SENDERS }, () => repeat(webhook)),
    ...Array.from({ length: commands }, () => repeat(command)),
    ...Array.from({ length: queries }, () => repeat(query)),
  ]

  return {
    nodes,
    payments,
    links,
    answers,
    faults,
    async more() {
      const goal = {
        payments: payments.size + SENDERS + MORE.payments,
        links: commands === 0 ? 0 : links.size + commands + MORE.links,
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
async function tellAll(urls: readonly string[], send: (url: string) => Promise<number | null>): Promise<number | null> {
  const answers = await Promise.all(urls.map(send))
  const final = answers.filter((status) => status !== null)
  return final.find((status) => status !== 200) ?? final[0] ?? null
}

type Told<Result> = { readonly status: number; readonly result: Result | null }

async function tell(url: string, uuid: string): Promise<Told<number>> {
  const body = paymentBody({ uuid })
  const signal = AbortSignal.timeout(ANSWER_MS)
  const headers = honestHeaders(body)
  const response = await fetch(`${url}/webhooks/payments`, { method: 'POST', headers, body, signal })
  await response.arrayBuffer()
  return { status: response.status, result: response.status }
}

async function createLink(url: string, input: Record<string, unknown>): Promise<Told<CreateLinkResult>> {
  const { status, data, errors } = await askOnce<{ createPaymentLink: CreateLinkResult } | null>(url, CREATE_LINK, {
    input,
  })
  const result = data?.createPaymentLink
  // An earlier attempt under this key is still being carried out.
  if (result?.__typename === 'PaymentsIdempotencyConflictError' && result['inProgress'] === true)
    return { status, result: null }
  return { status, result: result ?? { __typename: 'Errors', status, errors } }
}

type Payments = { readonly payments?: object } | null

async function readPayments(url: string): Promise<Told<Payments>> {
  const { status, data } = await askOnce<Payments>(url, '{ payments(first: 1) { nodes { id status } } }')
  return { status, result: data }
}
