import type { StreamAnswer } from '../../graphql/engine/request-outcome.ts'
import type { Framing } from '../response-streams/framing.ts'

/** Milliseconds after which a browser's EventSource reconnects. */
const RETRY_MS = 1_000
/**
 * Milliseconds between the last event and the end of the stream: the official client misses an end that arrives while it is
 * processing an event.
 */
const PAUSE_MS = 100

/**
 * Server-sent events (WHATWG HTML, section 9.2) as GraphQL over SSE names them
 * (https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md). An interrupted stream ends with an error and without the
 * event `complete`, so that clients reconnect for the rest.
 */
export const EVENT_FRAMING: Framing = {
  contentType: 'text/event-stream; charset=utf-8',
  // Some browsers open the stream only after its first byte.
  opening: `retry: ${RETRY_MS}\n\n`,
  keepAlive: ': keep-alive\n\n',
  answer: nextEvent,
  completion: 'event: complete\ndata:\n\n',
  interruption: (errors) => nextEvent({ json: `{"errors":${errors}}`, cursor: null }),
  pauseMs: PAUSE_MS,
}

/** The id is the cursor after which the stream can be resumed: a browser that reconnects sends it in Last-Event-ID. */
function nextEvent({ json, cursor }: StreamAnswer): string {
  return `${cursor === null ? '' : `id: ${cursor}\n`}event: next\ndata: ${json}\n\n`
}
