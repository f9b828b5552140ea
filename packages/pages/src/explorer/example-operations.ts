import createLink from './operations/create-link.graphql?raw'
import createLinkVariables from './operations/create-link.json?raw'
import createPayin from './operations/create-payin.graphql?raw'
import createPayinVariables from './operations/create-payin.json?raw'
import followLink from './operations/follow-link.graphql?raw'
import followLinkVariables from './operations/follow-link.json?raw'
import health from './operations/health.graphql?raw'
import payinMethods from './operations/payin-methods.graphql?raw'
import payments from './operations/payments.graphql?raw'
import paymentsVariables from './operations/payments.json?raw'
import simulatePayin from './operations/simulate-payin.graphql?raw'
import simulatePayinVariables from './operations/simulate-payin.json?raw'

/** Returns the headers at the start: samples are comments, since the server would reject every request with a placeholder token. */
export function headersFor(token: string | null): string {
  return `{
  ${token === null ? '// "authorization": "Bearer <your token>"' : `"authorization": "Bearer ${token}"`}
  // "x-router-secret": "<where it is asked for>"
}`
}

/** Sample operations, one per tab; all tabs have the same headers. */
export const EXAMPLES = [
  { query: payinMethods },
  { query: createLink, variables: createLinkVariables },
  { query: followLink, variables: followLinkVariables },
  { query: payments, variables: paymentsVariables },
  { query: health },
  { query: createPayin, variables: createPayinVariables },
  { query: simulatePayin, variables: simulatePayinVariables },
]
