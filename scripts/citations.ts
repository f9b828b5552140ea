import { withTable } from './settings-tables.ts'

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

/** Returns docs/gaps.md with the table of the files that cite each number of it. */
export function withCitations(page: string, sources: ReadonlyMap<string, string>): string {
  const cited = new Map([...sources].filter(([path]) => !path.startsWith('packages/sandbox/')))
  const rows = [...citationsOf(CITATIONS.gaps, cited)]
    .toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
    .map(([number, paths]) => `| ${number} | ${[...paths].map((path) => `\`${path}\``).join(', ')} |`)
  return withTable(page, 'citations', ['| Cited | In |', '|---|---|', ...rows])
}

/** Returns the numbers in a list such as `sections 5.3, 10 and 16` or `sections 17 to 20`. */
function numbersIn(list: string): string[] {
  const spans = [...list.matchAll(/(?<![\d.])(\d+) to (\d+)/g)].flatMap(([, first, last]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => String(Number(first) + index)),
  )
  return [...(list.match(/C?\d+(?:\.\d+)?/g) ?? []), ...spans]
}
