import type { PaymentsEndpoint } from '../../../client/index.ts'
import type { Session } from './session.ts'

/** Where streams are opened: at the server that the page came from, with the token of the session. */
export function endpointOf({ token }: Pick<Session, 'token'>): PaymentsEndpoint {
  return { url: new URL('/graphql', location.href).href, token }
}
