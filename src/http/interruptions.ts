import { GraphQLError } from 'graphql'

/** Why a stream ended with the token of its reader. */
export const TOKEN_EXPIRED = new GraphQLError('The token has expired.', { extensions: { code: 'UNAUTHENTICATED' } })

/** Why a stream ended that could be continued: because its source failed, or this process stops. */
export const COME_BACK = new GraphQLError('The stream was interrupted: come back after its last item.', {
  extensions: { code: 'UNAVAILABLE' },
})
