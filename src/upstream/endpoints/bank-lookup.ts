import { sendable, shaped } from '../client/assertions.ts'
import type { Site } from '../client/sites.ts'
import type { Transport } from '../client/transport.ts'
import { type BankAccount, readBankAccount, toBankLookupBody } from '../wire/accounts/bank-account.ts'

export type BankLookupCalls = {
  /**
   * The bank account behind a VietQR payload (docs/payments-api.md, section 4.7). A payload that leads to no account is
   * `refused` with 404. Rejects with an `UpstreamFault`.
   */
  lookupBankByQr(site: Site, qrContent: string): Promise<BankAccount>
}

/** The bank look-up over a transport. */
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
