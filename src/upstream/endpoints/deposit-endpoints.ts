import { toPlainJson } from '../../lib/exact-json.ts'
import { sendable } from '../client/assertions.ts'
import type { Site } from '../client/sites.ts'
import type { Transport } from '../client/transport.ts'
import { type DepositSimulation, toDepositBody } from '../wire/accounts/deposit.ts'

export type DepositCalls = {
  /**
   * Makes the sandbox credit a treasury account, and returns the answer as plain JSON: its form is not published
   * (docs/payments-api.md, section 4.8). Rejects with an `UpstreamFault`.
   */
  simulateDeposit(site: Site, deposit: DepositSimulation): Promise<unknown>
}

/** Creates the call of the deposit simulator. */
export function depositCalls(transport: Transport): DepositCalls {
  return {
    simulateDeposit: async (site, deposit) => {
      const body = sendable(toDepositBody(deposit))
      const { json } = await transport.request(site, { method: 'POST', path: '/v1/simulate_deposit', body })
      return toPlainJson(json)
    },
  }
}
