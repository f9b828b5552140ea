import { GraphQLError } from 'graphql'
import type { Engine } from '../../graphql/engine/engine.ts'
import type { TokenEndReason } from '../connections/token-end.ts'

/** Why a stream was interrupted: its token ended, its source failed, or this process stops. */
export type Interruption = TokenEndReason | 'interrupted'

const ERRORS: Readonly<Record<Interruption, GraphQLError>> = {
  expired: new GraphQLError('The token has expired.', { extensions: { code: 'UNAUTHENTICATED' } }),
  withdrawn: new GraphQLError('The token is no longer valid.', { extensions: { code: 'UNAUTHENTICATED' } }),
  interrupted: new GraphQLError('The stream was interrupted: come back after its last item.', {
    extensions: { code: 'UNAVAILABLE' },
  }),
}

/** Returns the errors with which an interrupted stream over HTTP ends, as a JSON list. */
export type InterruptionTexts = Readonly<Record<Interruption, string>>

export function createInterruptionTexts({ refuse }: Pick<Engine, 'refuse'>): InterruptionTexts {
  const text = (reason: Interruption) => JSON.stringify(refuse([ERRORS[reason]]).errors)
  return { expired: text('expired'), withdrawn: text('withdrawn'), interrupted: text('interrupted') }
}
