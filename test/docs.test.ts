import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { createProgram } from '../src/cli/command-line.ts'
import { createSchema } from '../src/graphql/schema/schema.ts'
import { readMigrations } from '../src/store/migrate.ts'

const root = join(import.meta.dirname, '..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
const markdown = globSync('docs/**/*.md', { cwd: root })
const readmes = globSync('{packages,examples}/*/README.md', { cwd: root })
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'packages/pages/src/start/index.html',
  ...markdown,
  ...readmes,
]
const text = (page: string) => readFileSync(join(root, page), 'utf8')
/** Without diffs, which name files that they create. */
const prose = (page: string) => text(page).replace(/```diff[^]*?```/g, '')

/** Whether the command line has the command and each of its options. */
function isKnown(words: readonly string[]): boolean {
  const io = { env: {}, output: process.stdout, terminal: process.stderr, print: () => {} }
  let command = createProgram(io)
  for (const word of words) command = command.commands.find((one) => one.name() === word) ?? command
  const withDefaults = [command, ...command.commands]
  const options = new Set(withDefaults.flatMap((one) => one.options.map(({ long }) => long)))
  return command.parent !== null && words.every((word) => !word.startsWith('--') || options.has(word))
}

describe.each(pages)('%s', (page) => {
  it('names only files and folders that exist', () => {
    const named = [...prose(page).matchAll(/`((?:src|packages|examples|test|scripts|docs)\/[\w./-]+?)\/?`/g)].map(
      ([, path]) => path ?? '',
    )
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it('shows only npm scripts and commands of operators that exist', () => {
    const named = [...prose(page).matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name = '']) => name)
    expect(named.filter((name) => !(name in scripts))).toEqual([])
    const shown = prose(page).matchAll(/(?:npx payments-subgraph|npm run (?:--silent )?cli --) ([^`#>&|\n]+)/g)
    const commands = Array.from(shown, ([, command = '']) => command.trim()).filter((command) => !command.includes('…'))
    expect(commands.filter((command) => !isKnown(command.split(/\s+/)))).toEqual([])
  })

  it('links only to pages that exist', () => {
    const links = [...prose(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path]) => path ?? '')
    expect(links.filter((path) => !existsSync(join(root, dirname(page), path)))).toEqual([])
  })

  it('links only to headings that exist', () => {
    const links = [...prose(page).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)]
    const broken = links.filter(
      ([, path = '', heading = '']) => !headingsOf(path === '' ? page : join(dirname(page), path)).has(heading),
    )
    expect(broken.map(([link]) => link)).toEqual([])
  })
})

const isDecision = (page: string) => /^docs\/decisions\/(?!README)/.test(page)

/** The names by which links reach the headings of each page, as GitHub makes them. */
const headings = new Map<string, ReadonlySet<string>>()
function headingsOf(page: string): ReadonlySet<string> {
  const known = headings.get(page)
  if (known !== undefined) return known
  const titles = [...text(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title.toLowerCase())
  const names = new Set(titles.map((title) => title.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-')))
  headings.set(page, names)
  return names
}

describe('README.md', () => {
  const schema = createSchema({ production: false })
  const documents = [...text('README.md').matchAll(/(?:"query":\s*"|const query = `)([^`]*?)(?:"[,}]|`)/g)].map(
    ([, document]) => (document ?? '').replaceAll('\\"', '"'),
  )

  it('shows a query, a mutation and a subscription', () => {
    expect(documents.map((document) => /^(mutation|subscription)/.exec(document)?.[0] ?? 'query')).toEqual([
      'query',
      'mutation',
      'subscription',
    ])
  })

  it.each(documents)('shows an operation that the schema answers: %s', (document) => {
    expect(validate(schema, parse(document))).toEqual([])
  })

  it('has at most 150 lines', () => {
    expect(text('README.md').split('\n').length).toBeLessThanOrEqual(150)
  })
})

describe('docs/README.md', () => {
  it('links to every page, those of decisions by their own list', () => {
    const lists = ['docs/README.md', 'docs/decisions/README.md']
    const linked = new Set(
      lists.flatMap((list) =>
        Array.from(text(list).matchAll(/\]\(([^):]+\.md)\)/g), ([, path]) => join(dirname(list), path ?? '')),
      ),
    )
    expect(markdown.filter((page) => page !== 'docs/README.md' && !linked.has(page))).toEqual([])
  })

  it.each(markdown.filter((page) => !isDecision(page)))('%s says in its first lines who it is for', (page) => {
    expect(text(page).split('\n').slice(2, 5).join(' ')).toMatch(/\b[Ff]or\b/)
  })

  it.each(markdown.filter(isDecision))('%s is a short record', (page) => {
    expect(text(page)).toMatch(/\*\*Context\.\*\* [^]*\*\*Decision\.\*\* [^]*\*\*Consequences\.\*\* /)
    expect(text(page).split(/\s+/).length).toBeLessThanOrEqual(200)
  })
})

describe('docs/security.md', () => {
  const [section = ''] = (text('docs/security.md').split('## Personal data in the database')[1] ?? '').split('\n## ')
  /** `.column` is of the table that was named last. */
  let table = ''
  const cells = Array.from(section.matchAll(/^\| (`\w+\.\w+`[^|]*)/gm), ([, cell = '']) => cell).join()
  const named = Array.from(cells.matchAll(/`(\w*)\.(\w+)`/g), ([, of, column]) => `${(table = of || table)}.${column}`)

  it.each(['sqlite', 'postgres'] as const)('names only columns of the tables of %s', (dialect) => {
    const [baseline] = readMigrations(dialect)
    const tables = (baseline?.steps[0]?.sql ?? '').matchAll(/^CREATE TABLE (\w+) \(\n(.*?)^\)/gms)
    const columns = new Set(
      [...tables].flatMap(([, name, body = '']) =>
        [...body.matchAll(/^ {2}(\w+)/gm)].map(([, column]) => `${name}.${column}`),
      ),
    )
    expect(named.length).toBeGreaterThan(15)
    expect(named.filter((column) => !columns.has(column))).toEqual([])
  })
})
