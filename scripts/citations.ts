const LIST = String.raw`((?:(?:sections? )?C?\d+(?:\.\d+)?(?:, and |, | and | to )?)+)`
/** How comments cite the two pages by number. */
export const CITATIONS = {
  gaps: new RegExp(`gap sheet(?:'s)?, ${LIST}`, 'gi'),
  paymentsApi: new RegExp(`payments-api\\.md, ${LIST}`, 'gi'),
}

/** Returns every number that comments cite in a form, with the files that cite it. `sources` has the text of each file by its path. */
export function citationsOf(form: RegExp, sources: ReadonlyMap<string, string>): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const [path, source] of sources) {
    const text = source.replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ')
    for (const [, list = ''] of text.matchAll(form))
      for (const number of numbersIn(list)) found.set(number, (found.get(number) ?? new Set()).add(path))
  }
  return found
}

/** Returns the numbers in a list such as `sections 5.3, 10 and 16` or `sections 17 to 20`. */
function numbersIn(list: string): string[] {
  const spans = [...list.matchAll(/(?<![\d.])(\d+) to (\d+)/g)].flatMap(([, first, last]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => String(Number(first) + index)),
  )
  return [...(list.match(/C?\d+(?:\.\d+)?/g) ?? []), ...spans]
}
