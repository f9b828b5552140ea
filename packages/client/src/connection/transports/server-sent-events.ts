import { asClientError, errorOf, PaymentsClientError } from '../../client-errors.ts'
import { eventsUrl } from '../../graph-endpoint.ts'
import { LONGEST_TEXT, post, resultOf, retryAfterMs, type Result } from '../../request/ask.ts'
import {
  endBy,
  ending,
  isOfGraph,
  readResult,
  streamOperation,
  type ConnectionEnd,
  type OpenConnection,
} from '../connection.ts'

/** Silence after which the connection is suspect, in milliseconds: the server sends something every 12 seconds. */
const DUE_MS = 14_000

/** Streams over server-sent events, in the distinct connections mode of GraphQL over SSE. */
export const openEvents: OpenConnection = (request, events) => {
  const { endpoint, token, timing, subject } = request
  const control = new AbortController()
  let heardAt: number | null = null
  let over = false

  const close = () => {
    over = true
    clearTimeout(silence)
    control.abort()
  }
  const end = (how: ConnectionEnd) => {
    if (over) return
    close()
    events.ended(how)
  }
  const giveUp = () => end(ending('unopened', 'NETWORK', 'Nothing comes from the server.'))
  let silence = setTimeout(giveUp, timing.openMs)
  const hear = () => {
    clearTimeout(silence)
    silence = setTimeout(giveUp, timing.silenceMs)
    if (heardAt === null) events.opened()
    heardAt = Date.now()
  }
  const take = (event: ServerEvent) => {
    if (over) return
    if (event.name === 'complete') return end(ending('complete', 'UNAVAILABLE', 'The stream has ended.'))
    if (event.name !== 'next') return
    const item = readResult(JSON.parse(event.data) as Result, subject)
    if ('error' in item) end(item)
    else events.item(item)
  }
  const run = async () => {
    const { signal } = control
    const where = { url: eventsUrl(endpoint), accept: 'text/event-stream', token, signal }
    const reader = await openBody(await post(endpoint, streamOperation(request), where))
    const parse = createEventParser()
    const text = new TextDecoder()
    for (;;) {
      const { done, value } = await reader.read()
      if (over) return
      if (done) break
      hear()
      for (const event of parse(text.decode(value, { stream: true }))) take(event)
    }
    end(ending('lost', 'NETWORK', 'The stream broke off.'))
  }
  run().catch((error: unknown) => end(endOf(asClientError(error), heardAt !== null)))

  return {
    close,
    check: () => {
      if (heardAt !== null && Date.now() - heardAt > DUE_MS) end(ending('lost', 'NETWORK', 'The stream has gone.'))
    },
  }
}

/** Returns the response body as a stream. Throws a `PaymentsClientError` when the response is not an event stream. */
async function openBody(response: Response): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const isStream = response.ok && response.headers.get('content-type')?.startsWith('text/event-stream') === true
  // React Native's fetch has no body stream.
  if (isStream && response.body) return response.body.getReader()
  if (isStream) throw new PaymentsClientError('UNSUPPORTED', 'Answers cannot be streamed here.')
  const { errors = [] } = await resultOf(response)
  throw errorOf(errors, { status: response.status, retryAfterMs: retryAfterMs(response) })
}

function endOf(error: PaymentsClientError, isOpen: boolean): ConnectionEnd {
  if (isOpen) return { kind: 'lost', error }
  return isOfGraph(error) ? endBy(error) : { kind: 'unopened', error }
}

/** One event of a stream of server-sent events. */
type ServerEvent = { readonly name: string; readonly data: string }

/**
 * Parses server-sent events from chunks of text (https://html.spec.whatwg.org/multipage/server-sent-events.html, 9.2.6). Ids
 * and retry times are ignored: the data contains the cursor. The parser throws a `PaymentsClientError` for a line that is too long.
 */
export function createEventParser(): (piece: string) => ServerEvent[] {
  let rest = ''
  let name = ''
  let data: string[] = []

  const readLine = (line: string): ServerEvent | null => {
    if (line === '') {
      const event = data.length === 0 && name === '' ? null : { name, data: data.join('\n') }
      name = ''
      data = []
      return event
    }
    const [field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)?.slice(1) ?? []
    if (field === 'event') name = value
    if (field === 'data') data.push(value)
    return null
  }

  return (piece) => {
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    if (rest.length > LONGEST_TEXT) throw new PaymentsClientError('BAD_RESPONSE', 'An event is too long.')
    return lines.map(readLine).filter((event) => event !== null)
  }
}
