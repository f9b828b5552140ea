import type { PaymentsEndpoint } from '../../client/index.ts'

/** The graph, without a token: payment methods are public, and a status token authorises reading a link. */
export const ENDPOINT: PaymentsEndpoint = { url: `${location.origin}/graphql` }
