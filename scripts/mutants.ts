/**
 * Applies mutations to a copy of the source, one at a time, and checks that the tests detect each of them: the tests that `npm test` runs, or,
 * for a mutation that names none of these, those of `npm run test:all`. The unchanged copy must pass the same tests. Exits with 0 only when
 * every mutation was detected. With an argument, only mutations whose name contains it: `npm run test:mutants -- refund`.
 */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { type Plant, PLANTS } from './mutants/plants.ts'
import { isInLayers } from './test-layers.ts'

const COPIED = [
  'src',
  'packages',
  'examples',
  'test',
  'scripts',
  'bench',
  'docs',
  'package.json',
  'schema.graphql',
  'codegen.ts',
  'vite.config.ts',
  'tsconfig.json',
  'vitest.config.ts',
]
/** Timeout in milliseconds of a mutation's tests, because it may make a test hang. */
const LIMIT_MS = 5 * 60_000

type Tally = { readonly passed: number; readonly failed: number; readonly timedOut: boolean }

const [wanted = ''] = process.argv.slice(2)
const plants = PLANTS.filter(({ name }) => name.includes(wanted))
if (plants.length === 0) throw new Error(`No mutation has "${wanted}" in its name.`)

const control = run(null)
console.log(`without a fault: ${control.passed} passed, ${control.failed} failed`)
const survivors = plants.filter((plant) => {
  const { failed, timedOut } = run(plant)
  const layer = isForAll(plant) ? 'npm run test:all alone' : 'npm test'
  console.log(
    `${failed > 0 ? 'caught  ' : 'SURVIVED'} ${plant.name}: ${timedOut ? 'timed out' : `${failed} failed`} (${layer})`,
  )
  return failed === 0
})
const caught = plants.filter((plant) => !survivors.includes(plant))
const later = caught.filter(isForAll).length
console.log(
  `${caught.length} of ${plants.length} planted faults caught: ${caught.length - later} by npm test, ${later} by test:all alone`,
)
process.exitCode = survivors.length === 0 && control.failed === 0 ? 0 : 1

/** Returns whether `npm test` need not detect a mutation, because each of its tests is in `npm run test:all` alone. */
function isForAll({ tests }: Plant): boolean {
  return !tests.some(isInLayers)
}

/** Returns the tests that have to detect a mutation. */
function testsOf(plant: Plant): readonly string[] {
  return isForAll(plant) ? plant.tests : plant.tests.filter(isInLayers)
}

/** Runs a mutation's tests in a copy with the mutation, or all tests in an unchanged copy. */
function run(plant: Plant | null): Tally {
  const folder = mkdtempSync(join(tmpdir(), 'payments-mutant-'))
  try {
    const filter = (source: string) => basename(source) !== 'node_modules'
    for (const name of COPIED) cpSync(name, join(folder, name), { recursive: true, filter })
    linkPackages(folder)
    if (plant !== null) for (const edit of plant.edits) applyTo(folder, edit)
    return plant === null ? test(folder, [...new Set(plants.flatMap(testsOf))]) : test(folder, testsOf(plant), LIMIT_MS)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Links the installed packages; those of this repository are links already, which lead to their copies. */
function linkPackages(folder: string): void {
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync('node_modules')) {
    const path = join('node_modules', name)
    symlinkSync(lstatSync(path).isSymbolicLink() ? readlinkSync(path) : resolve(path), join(folder, path))
  }
}

function applyTo(folder: string, { file, from, to }: Plant['edits'][number]): void {
  const path = join(folder, file)
  const text = readFileSync(path, 'utf8')
  if (text.split(from).length !== 2) throw new Error(`${file} must hold this text exactly once: ${from}`)
  writeFileSync(
    path,
    text.replace(from, () => to),
  )
}

/** Returns the tally of a run. A run that times out counts as failed: the mutation was detected. */
function test(folder: string, files: readonly string[], timeout?: number): Tally {
  const { stdout, error } = spawnSync(process.execPath, ['scripts/test.ts', '--sequence.shuffle=false', ...files], {
    cwd: folder,
    encoding: 'utf8',
    timeout,
    killSignal: 'SIGKILL',
    maxBuffer: 2 ** 28,
  })
  const tally = /^(\d+) passed, (\d+) failed/m.exec(stdout)
  if (tally !== null) return { passed: Number(tally[1]), failed: Number(tally[2]), timedOut: false }
  if (error !== undefined && 'code' in error && error.code === 'ETIMEDOUT')
    return { passed: 0, failed: 1, timedOut: true }
  throw new Error(`The tests did not run:\n${stdout}`)
}
