import type { StreamCarrier } from '../graphql/stream-carrier.ts'
import type { ResponseStreams } from '../response-streams/response-streams.ts'
import { MULTIPART_FRAMING } from './multipart-framing.ts'

/** Returns whether an `accept` header asks for multipart subscriptions; other uses of the type name another specification. */
function accepts(header: string): boolean {
  return header.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === 'multipart/mixed' && parameters.some((parameter) => SPECIFICATIONS.has(parameter))
  })
}

const SPECIFICATIONS: ReadonlySet<string> = new Set(['subscriptionspec=1.0', 'subscriptionspec="1.0"'])

/** Serves subscriptions as the parts of one response to clients that accept them. */
export function multipartCarrier(streams: ResponseStreams): StreamCarrier {
  return {
    accepts: ({ request }) => accepts(request.headers.accept ?? ''),
    reserve: (asked) => streams.reserve(asked, MULTIPART_FRAMING),
  }
}
