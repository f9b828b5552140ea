import { type PayinLinkCalls, payinLinkCalls } from './payin-links.ts'
import { type PayinMethodCalls, payinMethodCalls } from './payin-methods.ts'
import { createTransport, type TransportOptions } from './transport.ts'

/** Everything that we ask the service, one group of endpoints beside the other. */
export type UpstreamClient = PayinMethodCalls &
  PayinLinkCalls & {
    /** Lets running requests end, then closes the connections. */
    close(): Promise<void>
  }

/** Opens the client of the service. Throws `TypeError` for a base address that is neither https nor on loopback. */
export function createUpstreamClient(options: TransportOptions): UpstreamClient {
  const transport = createTransport(options)
  return {
    ...payinMethodCalls(transport),
    ...payinLinkCalls(transport),
    close: () => transport.close(),
  }
}
