import { posix } from 'node:path'

/** Source texts by path from the project's root, e.g. `src/domain/money/money.ts`. */
export type SourceFiles = ReadonlyMap<string, string>

/** One import between two files of ours; `to` may name a file that is not there. */
export type Arrow = { readonly from: string; readonly to: string }

/** Statements that load another module, for its values or for its types alone. */
const LOADERS = [
  /^[ \t]*(?:import|export)\b[^'"`;()=]*\bfrom\s*(['"])(?<specifier>[^'"]+)\1/gm,
  /^[ \t]*import\s*(['"])(?<specifier>[^'"]+)\1/gm,
  /\bimport\(\s*(['"`])(?<specifier>[^'"`]+)\1/g,
]

/** A string, kept as `$1`, or a comment. */
const STRING_OR_COMMENT =
  /('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g

/** A file's text without its comments. */
export function withoutComments(text: string): string {
  return text.replace(STRING_OR_COMMENT, '$1')
}

/** What a file loads, as written there. */
export function specifiersIn(text: string): string[] {
  const code = withoutComments(text)
  const matches = LOADERS.flatMap((loader) => Array.from(code.matchAll(loader)))
  return matches.flatMap((match) => match.groups?.['specifier'] ?? [])
}

/** Every import of one file of ours by another. */
export function arrowsOf(files: SourceFiles): Arrow[] {
  return [...files].flatMap(([from, text]) =>
    specifiersIn(text)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => ({ from, to: posix.join(posix.dirname(from), specifier) })),
  )
}

/** Files that are a part of their own, or the face of the folder that has their name. */
const PARTS_OF_ONE_FILE = new Set(['cli.ts', 'main.ts', 'run-server.ts', 'index.ts', 'config.ts'])

/** The part of src that a file belongs to: its folder there; what lies in none puts the others together, and is `app`. */
export function partOf(path: string): string {
  const [root, name = '', ...below] = path.split('/')
  if (root !== 'src') return ''
  if (below.length > 0) return name
  return PARTS_OF_ONE_FILE.has(name) ? name.replace('.ts', '') : 'app'
}
