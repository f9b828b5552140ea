import { sendable, shaped } from './checks.ts'
import type { Site } from './sites.ts'
import type { Transport } from './transport.ts'
import { type BankAccount, readBankAccount, toBankLookupBody } from './wire/bank-account.ts'

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
