import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, type ParseArgsOptionDescriptor } from 'node:util'
import { BUILT, buildWhenStale } from './build.ts'
import { CAN_PIN, moveToLoadCore } from './cores.ts'
import { type Figure, figureTable, withGoal } from './figures.ts'
import { installPeers } from './peers.ts'
import { describeMachine, writeSection } from './performance-page.ts'

/** Parts that the benches of the GraphQL engine share: their options, and resources for the run. */
export type Bench = {
  readonly rounds: number
  readonly seconds: number
  /** The product's main module. */
  readonly program: string
  /** Returns the value of an option of this bench only. */
  readonly option: (name: string) => string
  /** Returns whether a server is to be measured. */
  readonly includes: (server: string) => boolean
  /** Folder for temporary files. */
  readonly folder: string
  readonly cleanUp: AsyncDisposableStack
  /** Prints to standard error, so that standard output contains only the figures. */
  readonly progress: (step: string) => void
}

export type BenchDescription = {
  /** Name in `npm run bench`, and of the section of the page. */
  readonly name: string
  readonly title: string
  readonly defaults: { readonly rounds: number; readonly seconds: number }
  /** Options of this bench only, with their defaults. */
  readonly options?: Readonly<Record<string, string>>
  readonly run: (bench: Bench) => Promise<Report>
}

export type Report = {
  /** A paragraph about the requests, the servers and the conditions. */
  readonly setting: string
  readonly figures: readonly Figure[]
  /** Tables and sentences that are printed after the figures, and not written to the page. */
  readonly details: readonly string[]
}

/**
 * Runs a bench, prints its figures, and writes those with a goal to the page. Every bench takes `--rounds`, `--seconds` (of each
 * measurement), `--only <server,…>`, `--program <module>` and `--page <path>` (default: docs/performance.md). With `--only`, or with some
 * of the `--cases`, nothing is written unless `--page` is given. Rejects if an answer is not as expected.
 */
export async function runBench({ name, title, defaults, options = {}, run }: BenchDescription): Promise<void> {
  const own = {
    rounds: String(defaults.rounds),
    seconds: String(defaults.seconds),
    program: BUILT,
    only: '',
    page: '',
    ...options,
  }
  const args = process.argv.slice(3)
  const values = parse(own, args)
  installPeers()
  buildWhenStale(values['program'] ?? BUILT)
  moveToLoadCore()
  await using cleanUp = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  cleanUp.defer(() => rmSync(folder, { recursive: true }))
  const only = values['only']?.split(',').filter((server) => server !== '') ?? []
  const { setting, figures, details } = await run({
    rounds: Number(values['rounds']),
    seconds: Number(values['seconds']),
    program: values['program'] ?? BUILT,
    option: (option) => values[option] ?? '',
    includes: (server) => only.length === 0 || only.includes(server),
    folder,
    cleanUp,
    progress: (step) => console.error(`${Math.round(performance.now() / 1_000)} s: ${step}`),
  })
  const cores = CAN_PIN ? '' : ' Processes could not be bound to cores.'
  const shownArgs = args.filter((arg, index) => arg !== '--page' && args[index - 1] !== '--page')
  const head = [
    `## ${title}`,
    `\`npm run bench -- ${[name, ...shownArgs].join(' ')}\`: ${describeMachine()}.`,
    `${setting} Medians of ${values['rounds']} rounds.${cores}`,
  ]
  console.log([...head, figureTable(figures), ...details].join('\n\n'))
  const isWhole = only.length === 0 && values['cases'] === options['cases']
  const page = values['page'] === '' && isWhole ? 'docs/performance.md' : values['page']
  if (page !== undefined && page !== '')
    writeSection(page, name, [...head, figureTable(withGoal(figures))].join('\n\n'))
}

function parse(defaults: Readonly<Record<string, string>>, args: string[]): Record<string, string | undefined> {
  const options: Record<string, ParseArgsOptionDescriptor> = {}
  for (const [option, value] of Object.entries(defaults)) options[option] = { type: 'string', default: value }
  return parseArgs({ args, options }).values as Record<string, string | undefined>
}
