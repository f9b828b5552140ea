/**
 * Runs the tests, and ends with one plain line that says how they went, such as `312 passed, 0 failed`. Arguments are those
 * of `vitest run`: filters, or options such as `-t <name>`. The exit code is 0 only when tests ran, none failed,
 * and no more than a few needed a second try (which they have under CI alone).
 */
import { spawnSync } from 'node:child_process'
import { globSync, statSync, utimesSync } from 'node:fs'
import { parseCLI, startVitest } from 'vitest/node'
import type { Vitest } from 'vitest/node'
import { isGreen, summary } from './test-tally.ts'
import type { Tally } from './test-tally.ts'

/** What `npm run prepare` makes, of what, and by which script. */
const GENERATED = [
  { made: 'src/graphql/generated.ts', sources: ['schema.graphql', 'codegen.ts'], script: 'codegen' },
  {
    made: 'src/client/generated/documents.ts',
    sources: ['schema.graphql', 'src/client/operations'],
    script: 'codegen',
  },
  { made: 'dist/web/.vite/manifest.json', sources: ['src/web', 'src/client'], script: 'build:web' },
]

for (const { made, sources, script } of GENERATED) if (isStale(made, sources)) generate(made, script)
const vitest = await runTests(process.argv.slice(2))
const again = secondTries(vitest)
for (const name of again) console.log(`needed a second try: ${name}`)
const tally = tallyOf(vitest)
console.log(summary(tally))
// A handle that a test forgot must not keep the run from ending.
process.exit(isGreen(tally, again.length) ? 0 : 1)

async function runTests(args: string[]): Promise<Vitest> {
  const { filter, options } = parseCLI(['vitest', 'run', ...args])
  return startVitest(filter, { ...options, watch: false, passWithNoTests: false })
}

/** Tests that failed first and then passed: somebody should look at them. */
function secondTries({ state }: Vitest): string[] {
  const tests = state.getTestModules().flatMap(({ children }) => Array.from(children.allTests()))
  return tests.filter((test) => test.diagnostic()?.flaky).map(({ fullName }) => fullName)
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
  return sources.some((source) => lastModified(source) > madeAt)
}

/** When a file, or anything in a folder but what is generated there, was last modified. */
function lastModified(path: string): number {
  const below = globSync(`${path}/**/*`, { exclude: ['**/generated/**'] })
  return Math.max(...[path, ...below].map(modifiedAt))
}

/** Milliseconds since the epoch; 0 for a file that is not there. */
function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function generate(made: string, script: string): void {
  const { status } = spawnSync('npm', ['run', '--silent', script], { stdio: 'inherit' })
  if (status !== 0) {
    console.error(`${made} could not be made.`)
    process.exit(1)
  }
  // What came out the same is left as it was, and would be made again by every run.
  const now = new Date()
  utimesSync(made, now, now)
}
