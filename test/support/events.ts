import { createClient, type Client } from 'graphql-sse'
import type { Item, Operation } from './stream.ts'

export type EventResult = {
  readonly data?: Record<string, Item> | null
  readonly errors?: readonly { readonly message: string; readonly extensions?: Record<string, unknown> }[]
}

/** Creates the official client of GraphQL over server-sent events. It retries without a delay, by default never. */
export function eventClient(url: string, headers: () => Promise<Record<string, string>>, retryAttempts = 0): Client {
  return createClient({ url: `${url}/graphql/stream`, headers, retryAttempts, retry: async () => {} })
}

/** One event as received. */
export type WireEvent = { readonly id: string | null; readonly event: string; readonly data: string }

export type EventResponse = {
  readonly status: number
  readonly headers: Headers
  /** Returns the received text, comments included. */
  readonly text: () => string
  /** Returns the next event; null at the end. */
  next(): Promise<WireEvent | null>
  /** Returns the events up to the end. */
  rest(): Promise<WireEvent[]>
  readonly isStream: boolean
  /** Returns the whole text after the end. */
  body(): Promise<string>
  /** Closes the connection. */
  cut(): void
}

export type EventRequest = {
  readonly operation: Operation | Readonly<Record<string, unknown>>
  readonly method?: 'GET' | 'POST'
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Requests a stream of events without a client library. */
export async function openEvents(url: string, request: EventRequest): Promise<EventResponse> {
  const { operation, method = 'POST', path = '/graphql/stream', headers = {} } = request
  const search = new URLSearchParams({
    query: String(operation.query),
    variables: JSON.stringify(operation.variables ?? {}),
  })
  const control = new AbortController()
  const response = await fetch(`${url}${path}${method === 'GET' ? `?${search.toString()}` : ''}`, {
    method,
    headers: {
      accept: 'text/event-stream',
      ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    signal: control.signal,
    ...(method === 'POST' ? { body: JSON.stringify(operation) } : {}),
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let taken = 0
  const next = async (): Promise<WireEvent | null> => {
    for (;;) {
      const end = text.indexOf('\n\n', taken)
      if (end === -1) {
        const read = await reader?.read()
        if (read === undefined || read.done) return null
        text += read.value
        continue
      }
      const event = parse(text.slice(taken, end))
      taken = end + 2
      if (event !== null) return event
    }
  }
  return {
    status: response.status,
    headers: response.headers,
    text: () => text,
    next,
    async rest() {
      const events: WireEvent[] = []
      for (let event = await next(); event !== null; event = await next()) events.push(event)
      return events
    },
    isStream: response.headers.get('content-type')?.startsWith('text/event-stream') === true,
    async body() {
      while ((await next()) !== null);
      return text
    },
    cut: () => control.abort(),
  }
}

/** Returns the item of an event. Throws if there is none. */
export function itemOf(event: WireEvent | null): Item {
  const result = JSON.parse(event?.data ?? 'null') as EventResult | null
  const item = Object.values(result?.data ?? {})[0]
  if (item === undefined) throw new Error(`There is no item in ${event?.data}.`)
  return item
}

/** Returns null for a block without an event, such as a block of comments. */
function parse(block: string): WireEvent | null {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
    if (name !== '') fields.set(name, value)
  }
  const event = fields.get('event')
  return event === undefined ? null : { id: fields.get('id') ?? null, event, data: fields.get('data') ?? '' }
}
