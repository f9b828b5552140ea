import type { PaymentsEndpoint } from '../../../client/index.ts'
import type { Session } from './session.ts'

/** Returns the endpoint for streams: the page's own origin, with the session's token. */
export function endpointOf({ token }: Pick<Session, 'token'>): PaymentsEndpoint {
  return { url: new URL('/graphql', location.href).href, token }
}
