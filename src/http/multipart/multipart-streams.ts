import type { StreamCarrier } from '../graphql/stream-carrier.ts'
import type { ResponseStreams } from '../response-streams/response-streams.ts'
import { MULTIPART_FRAMING } from './multipart-framing.ts'

/** A part of an `accept` header that asks for multipart subscriptions: other uses of the type name another specification. */
const ACCEPTS = /(?:^|,)\s*multipart\/mixed\s*;(?:[^,]*;)?\s*subscriptionSpec\s*=\s*"?1\.0"?\s*(?:[;,]|$)/i

/** Subscriptions as the parts of one response, for whoever accepts them. */
export function multipartCarrier(streams: ResponseStreams): StreamCarrier {
  return {
    accepts: ({ request }) => ACCEPTS.test(request.headers.accept ?? ''),
    reserve: (asked) => streams.reserve(asked, MULTIPART_FRAMING),
  }
}
