import type { StreamCarrier } from '../graphql/graphql-response.ts'
import { namesType } from '../server/accept.ts'
import type { Framing, ResponseStreams } from './response-streams.ts'

/** Returns whether an `accept` header asks for multipart subscriptions; other uses of the type name another specification. */
function accepts(header = ''): boolean {
  if (!namesType(header, 'multipart/mixed')) return false
  return header.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === 'multipart/mixed' && parameters.some((parameter) => SPECIFICATIONS.has(parameter))
  })
}

const SPECIFICATIONS: ReadonlySet<string> = new Set(['subscriptionspec=1.0', 'subscriptionspec="1.0"'])

/** Serves subscriptions as the parts of one response to clients that accept them. */
export function multipartCarrier(streams: ResponseStreams): StreamCarrier {
  return {
    accepts: ({ exchange }) => accepts(exchange.request.headers.accept),
    reserve: (asked) => streams.reserve(asked, MULTIPART_FRAMING),
  }
}

const BOUNDARY = 'graphql'

/**
 * Subscriptions over multipart HTTP, 1.0
 * (https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/multipart-protocol): each part has a result under
 * `payload`; an empty object is a heartbeat; `payload: null` with errors marks an interrupted stream. Each part is followed by the
 * delimiter of the next, so that readers can process it immediately (RFC 2046, section 5.1.1).
 */
const MULTIPART_FRAMING: Framing = {
  contentType: `multipart/mixed;boundary="${BOUNDARY}";subscriptionSpec=1.0`,
  opening: `--${BOUNDARY}`,
  keepAlive: framedPart('{}'),
  answer: ({ json }) => framedPart(`{"payload":${json}}`),
  completion: '--\r\n',
  interruption: (errors) => `${framedPart(`{"payload":null,"errors":${errors}}`)}--\r\n`,
  pauseMs: 0,
}

function framedPart(json: string): string {
  return `\r\ncontent-type: application/json\r\n\r\n${json}\r\n--${BOUNDARY}`
}
