import { withTable } from './settings-tables.ts'

/** A promise that a test keeps, and the section of a page that names it. The comment continues until the next promise. */
const PROMISE = /^ *\/\/ promise\((\w+)\): (.*(?:\n *\/\/ (?!promise\().*)*)/gm

export type Promises = ReadonlyMap<string, readonly { readonly text: string; readonly path: string }[]>

/** Returns the promises of all tests by section. `tests` has the text of each test file by its path. */
export function promisesIn(tests: ReadonlyMap<string, string>): Promises {
  const found = [...tests].flatMap(([path, source]) =>
    Array.from(source.matchAll(PROMISE), ([, section = '', text = '']) => ({
      section,
      text: text.replace(/\n *\/\//g, ''),
      path,
    })),
  )
  return Map.groupBy(found, ({ section }) => section)
}

/** Returns a page with the tables of its promises, each between two comments with the name of the section. */
export function withPromises(page: string, promises: Promises): string {
  return [...promises].reduce((text, [section, rows]) => {
    const cells = rows.map((row) => `| ${row.text} | \`${row.path}\` |`)
    return withTable(text, `promises ${section}`, ['| Promise | Test |', '|---|---|', ...cells])
  }, page)
}
