/**
 * Runs the tests, and ends with one plain line that says how they went, such as `312 passed, 0 failed`. Arguments are those
 * of `vitest run`: filters, or options such as `-t <name>`. The exit code is 0 only when tests ran and none failed.
 */
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { parseCLI, startVitest } from 'vitest/node'
import type { Vitest } from 'vitest/node'
import { isGreen, summary } from './test-tally.ts'
import type { Tally } from './test-tally.ts'

const GENERATED = 'src/graphql/generated.ts'
const GENERATED_FROM = ['schema.graphql', 'codegen.ts']

if (isStale(GENERATED, GENERATED_FROM)) generate()
const tally = await runTests(process.argv.slice(2))
console.log(summary(tally))
// A handle that a test forgot must not keep the run from ending.
process.exit(isGreen(tally) ? 0 : 1)

async function runTests(args: string[]): Promise<Tally> {
  const { filter, options } = parseCLI(['vitest', 'run', ...args])
  const vitest = await startVitest(filter, { ...options, watch: false, passWithNoTests: false })
  return tallyOf(vitest)
}

/** What went wrong outside of a test counts as failed: a file that does not load, a hook that throws, a stray rejection. */
function tallyOf({ state }: Vitest): Tally {
  const modules = state.getTestModules()
  const states = modules.flatMap(({ children }) => Array.from(children.allTests(), (test) => test.result().state))
  const suites = modules.flatMap(({ children }) => Array.from(children.allSuites()))
  const broken = [...modules, ...suites].filter((suite) => suite.errors().length > 0)
  const outside = broken.length + state.getUnhandledErrors().length
  const count = (wanted: string): number => states.filter((found) => found === wanted).length
  return {
    passed: count('passed'),
    failed: count('failed') + count('pending') + outside,
    skipped: count('skipped'),
  }
}

function isStale(made: string, sources: readonly string[]): boolean {
  const madeAt = modifiedAt(made)
  return sources.some((source) => modifiedAt(source) > madeAt)
}

/** Milliseconds since the epoch; 0 for a file that is not there. */
function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function generate(): void {
  const { status } = spawnSync('npm', ['run', '--silent', 'codegen'], { stdio: 'inherit' })
  if (status !== 0) {
    console.error(`${GENERATED} could not be made.`)
    process.exit(1)
  }
}
