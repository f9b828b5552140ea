import { IMPORTED_LISTS, type ImportPart } from '../../domain/imports/import-plan.ts'
import type { Sites } from '../../upstream/client/sites.ts'

/** Returns the lists of all sites. Agreements are in AUD alone (docs/payments-api.md, section 4.1). */
export function importParts(sites: Sites): ImportPart[] {
  return sites.all.flatMap(({ id, currencies }) =>
    IMPORTED_LISTS.filter((list) => list !== 'AGREEMENTS' || currencies.includes('AUD')).map((list) => ({
      site: id,
      list,
    })),
  )
}
