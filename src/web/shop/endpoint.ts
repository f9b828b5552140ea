import type { PaymentsEndpoint } from '../../client/index.ts'

/** The graph, asked without a token: ways to pay are public, and a link is followed with its own capability. */
export const ENDPOINT: PaymentsEndpoint = { url: `${location.origin}/graphql` }
