import { sendable, shaped } from '../client/assertions.ts'
import type { Site } from '../client/sites.ts'
import type { Transport } from '../client/transport.ts'
import { type BankAccount, readBankAccount, toBankLookupBody } from '../wire/accounts/bank-account.ts'

export type BankLookupCalls = {
  /**
   * Returns the bank account of a VietQR payload (docs/payments-api.md, section 4.7). If there is no such account, the fault is
   * `refused` with 404. Rejects with an `UpstreamFault`.
   */
  lookupBankByQr(site: Site, qrContent: string): Promise<BankAccount>
}

/** Creates the call for the bank look-up. */
export function bankLookupCalls(transport: Transport): BankLookupCalls {
  return {
    lookupBankByQr: async (site, qrContent) => {
      const body = sendable(toBankLookupBody(qrContent))
      const path = '/v2/banks/lookup/qr_content'
      const { status, json } = await transport.request(site, { method: 'POST', path, body })
      return shaped(readBankAccount(json), status)
    },
  }
}
