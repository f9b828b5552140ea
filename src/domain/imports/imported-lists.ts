/** The lists of the payments API that an import reads, in this order. */
export const IMPORTED_LISTS = ['LINKS', 'PAYINS', 'AGREEMENTS', 'PAYOUTS'] as const

export type ImportedList = (typeof IMPORTED_LISTS)[number]

/** One list of one site. */
export type ImportPart = { readonly site: string; readonly list: ImportedList }
