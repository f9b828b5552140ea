import type { PayinMethod } from '../../domain/methods/payin-method.ts'
import type { Site } from '../client/sites.ts'
import type { Transport } from '../client/transport.ts'
import { unknownOutcome } from '../client/upstream-fault.ts'
import { readPayinMethodEntry, servedMethods, toPayinMethod } from '../wire/methods/wire-payin-method.ts'
import { readPage } from '../wire/values/wire-page.ts'

export type PayinMethodCalls = {
  /**
   * Returns the methods that a site offers on the hosted page, in the payments API's order, without duplicate codes
   * (docs/payments-api.md, section 4.3). Entries without code or currency, or in a currency that the site does not serve, are
   * omitted. Rejects with an `UpstreamFault`.
   */
  listPayinMethods(site: Site): Promise<PayinMethod[]>
}

/** Creates the call for the v3 method list. */
export function payinMethodCalls(transport: Transport): PayinMethodCalls {
  return {
    listPayinMethods: async (site) => {
      const { status, json } = await transport.request(site, { method: 'GET', path: '/v3/payin_methods' })
      const page = readPage(json)
      if (page === null) throw unknownOutcome('misshapen', status)
      const methods = page.records.flatMap((record) => {
        const entry = readPayinMethodEntry(record)
        return entry === null ? [] : (toPayinMethod(entry, site.currencies, ['LINK']) ?? [])
      })
      return servedMethods(methods, site.currencies)
    },
  }
}
