import { posix } from 'node:path'

/** Source texts by path from the root of the repository, e.g. `src/domain/money/money.ts`. */
export type SourceFiles = ReadonlyMap<string, string>

/** One import between two files of this repository; `to` can name a file that does not exist. */
export type Arrow = { readonly from: string; readonly to: string }

/** Statements that load another module, for its values or only for its types. */
const LOADERS = [
  /^[ \t]*(?:import|export)\b[^'"`;()=]*\bfrom\s*(['"])(?<specifier>[^'"]+)\1/gm,
  /^[ \t]*import\s*(['"])(?<specifier>[^'"]+)\1/gm,
  /\bimport\(\s*(['"`])(?<specifier>[^'"`]+)\1/g,
]

/** Matches a string, which is kept as `$1`, or a comment. */
const STRING_OR_COMMENT =
  /('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g

/** Returns a file's text without its comments. */
export function withoutComments(text: string): string {
  return text.replace(STRING_OR_COMMENT, '$1')
}

/** Returns the module specifiers that a file imports, as they are written in it. */
export function specifiersIn(text: string): string[] {
  const code = withoutComments(text)
  const matches = LOADERS.flatMap((loader) => Array.from(code.matchAll(loader)))
  return matches.flatMap((match) => match.groups?.['specifier'] ?? [])
}

/** Returns the folder of sources that a file belongs to: `src`, or that of a package or an example, e.g. `packages/client/src`. */
export function roomOf(path: string): string {
  const folders = path.split('/')
  return folders.slice(0, { packages: 3, examples: 2 }[folders[0] ?? ''] ?? 1).join('/')
}

/** Returns every relative import in these files. */
export function arrowsOf(files: SourceFiles): Arrow[] {
  return [...files].flatMap(([from, text]) =>
    specifiersIn(text)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => ({ from, to: posix.join(posix.dirname(from), specifier) })),
  )
}

/** Files directly in `src/` that are a part by themselves; a file with the name of a folder belongs to that part. */
const PARTS_OF_ONE_FILE = new Set([
  'cli.ts',
  'main.ts',
  'run-server.ts',
  'sandbox.ts',
  'demo.ts',
  'trigger.ts',
  'index.ts',
  'config.ts',
])

/** Returns the part of `src` that a file belongs to: its folder there, `app` for other files directly in `src/`, '' outside of `src`. */
export function partOf(path: string): string {
  const [root, name = '', ...below] = path.split('/')
  if (root !== 'src') return ''
  if (below.length > 0) return name
  return PARTS_OF_ONE_FILE.has(name) ? name.replace('.ts', '') : 'app'
}

/** Returns every circle of files that import each other, directly or through others. */
export function circlesOf(arrows: readonly Arrow[]): string[][] {
  const uses = Map.groupBy(arrows, ({ from }) => from)
  const numbers = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const circles: string[][] = []
  // Tarjan, Depth-first search and linear graph algorithms (1972).
  const visit = (file: string): number => {
    const number = numbers.size
    numbers.set(file, number)
    lowest.set(file, number)
    open.push(file)
    for (const { to } of uses.get(file) ?? []) {
      const low = numbers.has(to) ? (open.includes(to) ? numbers.get(to) : undefined) : visit(to)
      lowest.set(file, Math.min(lowest.get(file) ?? number, low ?? number))
    }
    if (lowest.get(file) === number) {
      const circle = open.splice(open.indexOf(file))
      if (circle.length > 1) circles.push(circle)
    }
    return lowest.get(file) ?? number
  }
  for (const file of uses.keys()) if (!numbers.has(file)) visit(file)
  return circles
}

/** Returns the arrows that run back up: of two folders that import each other, those of the direction with fewer. */
export function arrowsBack(arrows: readonly Arrow[]): Arrow[] {
  const key = (a: string, b: string) => `${posix.dirname(a)} ${posix.dirname(b)}`
  const apart = arrows.filter(({ from, to }) => {
    const [a, b] = [`${posix.dirname(from)}/`, `${posix.dirname(to)}/`]
    return !a.startsWith(b) && !b.startsWith(a)
  })
  const pairs = Map.groupBy(apart, ({ from, to }) => key(from, to))
  return [...pairs.values()].flatMap((pair) => {
    const [{ from, to } = { from: '', to: '' }] = pair
    const back = pairs.get(key(to, from)) ?? []
    const isFewer = pair.length < back.length || (pair.length === back.length && from < to)
    return isFewer ? pair : []
  })
}
