import { GraphQLError } from 'graphql'
import type { TokenEndReason } from './token-end.ts'

/** Why a stream ended with the token of its reader. */
export const TOKEN_EXPIRED = new GraphQLError('The token has expired.', { extensions: { code: 'UNAUTHENTICATED' } })

/** Why a stream ended whose reader's token is refused from now on. */
const TOKEN_WITHDRAWN = new GraphQLError('The token is no longer valid.', { extensions: { code: 'UNAUTHENTICATED' } })

/** The error that a stream ends with when the token of its reader ends. */
export const TOKEN_ENDS: Readonly<Record<TokenEndReason, GraphQLError>> = {
  expired: TOKEN_EXPIRED,
  withdrawn: TOKEN_WITHDRAWN,
}

/** Why a stream ended that could be continued: because its source failed, or this process stops. */
export const COME_BACK = new GraphQLError('The stream was interrupted: come back after its last item.', {
  extensions: { code: 'UNAVAILABLE' },
})
