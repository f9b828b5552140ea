import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, fetch, type Response } from 'undici'
import { z } from 'zod'
import { type Graph, graphqlAnswer, OperatorError, NOTHING, plain, reasonOf } from './operator-answers.ts'

type ListenOptions = {
  /** Origin of the subgraph to which they are sent. */
  readonly forwardTo: string
  readonly json: boolean
}

type Streams = { readonly output: Writable; readonly terminal: Writable }

/** Milliseconds between two attempts to connect: doubled from the first to the last, less up to half of it. */
const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [1_000, 30_000]
/** Longer than two heartbeats of the feed. */
const SILENCE_MS = 30_000
/** As that of other commands: the token is sent only to a server with a valid certificate. */
const VERIFIED = new Agent({ connect: { rejectUnauthorized: true }, bodyTimeout: SILENCE_MS })
/** Longer than a subgraph takes to store or refuse a webhook. */
const ANSWER_MS = 15_000

const forwarded = z.object({
  kind: z.string(),
  path: z.string().startsWith('/webhooks/'),
  headers: z.array(z.tuple([z.string(), z.string()])),
  body: z.base64(),
})

/**
 * Sends the webhooks that arrive at a subgraph from now on to another, one after another and byte by byte, and writes a line for each answer.
 * Connects again when the connection is lost; what arrives meanwhile is not forwarded. Never resolves. Throws `OperatorError` when it is refused.
 */
export async function listen(graph: Graph, options: ListenOptions, { output, terminal }: Streams): Promise<never> {
  const say = (text: string) => void terminal.write(`${text}\n`)
  let isLost = false
  let answers = true
  const forward = async (event: unknown): Promise<void> => {
    const webhook = forwarded.parse(event)
    const status = await send(webhook, options.forwardTo)
    if (typeof status === 'string' && answers)
      say(`Nothing answers at ${options.forwardTo} (${status}): start it. What has arrived is not sent again.`)
    answers = typeof status === 'number'
    const { kind, body } = webhook
    const line = { time: new Date().toISOString(), kind, id: idIn(body), status }
    output.write(`${options.json ? JSON.stringify(line) : Object.values(line).map(String).map(plain).join('  ')}\n`)
  }
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      const response = await open(graph)
      say(`Listening to ${graph.url}.`)
      isLost = false
      waitMs = FIRST_WAIT_MS
      for await (const event of eventsOf(response)) await forward(event)
    } catch (error) {
      if (error instanceof OperatorError) throw error
      if (!isLost) say(`The connection to ${graph.url} is lost (${reasonOf(error)}): what arrives meanwhile is missed.`)
      isLost = true
    }
    await sleep(waitMs * (1 - Math.random() / 2))
  }
}

async function open({ url, token }: Graph): Promise<Response> {
  const response = await fetch(`${url.replace(/\/$/, '')}/webhooks`, {
    redirect: 'error',
    dispatcher: VERIFIED,
    headers: { accept: 'text/event-stream', authorization: `Bearer ${token}` },
  })
  const { status } = response
  if (status === 200 && response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  if (status >= 500 || status === 429) throw new Error(`HTTP ${status}`)
  const refusal = graphqlAnswer.safeParse(await response.json().catch(() => null)).data?.errors?.[0]
  throw new OperatorError(plain(`${url} refuses (HTTP ${status}): ${refusal?.message ?? 'it is no subgraph.'}`))
}

/** Returns the events of a stream. Throws when it ends, and `OperatorError` when its token has ended. */
async function* eventsOf({ body }: Response): AsyncGenerator<unknown, never, void> {
  if (body === null) throw new Error('no body')
  let rest = ''
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines.filter((one) => one.startsWith('data: '))) {
      const event: unknown = JSON.parse(line.slice('data: '.length))
      const error = graphqlAnswer.safeParse(event).data?.errors?.[0]
      if (error?.extensions?.code === 'UNAUTHENTICATED') throw new OperatorError(plain(error.message))
      if (error !== undefined) throw new Error('interrupted')
      yield event
    }
  }
  throw new Error('closed by the subgraph')
}

/** Returns the status of the answer, or the code of why there is none. */
async function send({ path, headers, body }: z.output<typeof forwarded>, origin: string): Promise<number | string> {
  try {
    const response = await fetch(`${origin}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers,
      body: Buffer.from(body, 'base64'),
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    await response.body?.cancel()
    return response.status
  } catch (error) {
    return reasonOf(error)
  }
}

const id = z.union([z.string(), z.number()]).nullish().catch(null)
const subject = z.object({
  transaction_info: z.object({ uuid: id }).nullish().catch(null),
  uuid: id,
  payment_agreement_id: id,
  id,
})

/** Returns the id of what a webhook reports, if it has one at its usual place. */
function idIn(body: string): string {
  try {
    const { data } = subject.safeParse(JSON.parse(Buffer.from(body, 'base64').toString()))
    return String(data?.transaction_info?.uuid ?? data?.uuid ?? data?.payment_agreement_id ?? data?.id ?? NOTHING)
  } catch {
    return NOTHING
  }
}
