import { IMPORTED_LISTS, type ImportPart } from '../../domain/imports/import-plan.ts'
import type { Sites } from '../../upstream/client/sites.ts'

/** Returns the lists of the named sites, or of all. Agreements are in AUD alone (docs/payments-api.md, section 4.1). */
export function importParts(sites: Sites, named: readonly string[] = []): ImportPart[] {
  const chosen = named.length === 0 ? sites.all : sites.all.filter(({ id }) => named.includes(id))
  return chosen.flatMap(({ id, currencies }) =>
    IMPORTED_LISTS.filter((list) => list !== 'AGREEMENTS' || currencies.includes('AUD')).map((list) => ({
      site: id,
      list,
    })),
  )
}
