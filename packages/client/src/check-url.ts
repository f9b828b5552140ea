import { PaymentsClientError } from './client-errors.ts'
import type { PaymentsEndpoint } from './graph-endpoint.ts'

/** Throws a `PaymentsClientError` (`INVALID_URL`) unless requests can be sent to the graph's URL. */
export function checkUrl({ url }: PaymentsEndpoint): void {
  if (/^https?:\/\/[^/?#]/i.test(url) || (/^\/(?!\/)/.test(url) && 'document' in globalThis)) return
  const told = JSON.stringify(url)
  throw new PaymentsClientError(
    'INVALID_URL',
    `\`url\` must be the graph's URL, such as https://shop.example/graphql: it is ${told}.`,
  )
}
