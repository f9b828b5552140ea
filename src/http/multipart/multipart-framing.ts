import type { Framing } from '../response-streams/framing.ts'

const BOUNDARY = 'graphql'

/**
 * Subscriptions over multipart HTTP, 1.0
 * (https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/multipart-protocol): each part has a result under
 * `payload`; an empty object is a heartbeat; `payload: null` with errors marks an interrupted stream. Each part is followed by the
 * delimiter of the next, so that readers can process it immediately (RFC 2046, section 5.1.1).
 */
export const MULTIPART_FRAMING: Framing = {
  contentType: `multipart/mixed;boundary="${BOUNDARY}";subscriptionSpec=1.0`,
  opening: `--${BOUNDARY}`,
  keepAlive: part('{}'),
  answer: ({ json }) => part(`{"payload":${json}}`),
  completion: '--\r\n',
  interruption: (errors) => `${part(`{"payload":null,"errors":${errors}}`)}--\r\n`,
  pauseMs: 0,
}

function part(json: string): string {
  return `\r\ncontent-type: application/json\r\n\r\n${json}\r\n--${BOUNDARY}`
}
