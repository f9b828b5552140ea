/**
 * Applies mutations to a copy of the source, one at a time, and checks that the tests detect each of them. The unchanged
 * copy must pass the same tests. Exits with 0 only when every mutation was detected. With an argument, only mutations whose name contains it:
 * `npm run test:mutants -- refund`.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Plant, PLANTS } from './mutants/plants.ts'

const COPIED = [
  'src',
  'test',
  'scripts',
  'bench',
  'docs',
  'package.json',
  'schema.graphql',
  'codegen.ts',
  'vite.config.ts',
  'tsconfig.json',
]
const CONFIGS = ['vitest.config.ts', 'vitest.faults.config.ts']
/** Timeout in milliseconds, because a mutation may make a test hang. */
const LIMIT_MS = 5 * 60_000

type Tally = { readonly passed: number; readonly failed: number }

const [wanted = ''] = process.argv.slice(2)
const plants = PLANTS.filter(({ name }) => name.includes(wanted))
if (plants.length === 0) throw new Error(`No mutation has "${wanted}" in its name.`)

const control = run(null)
console.log(`without a fault: ${control.passed} passed, ${control.failed} failed`)
const survivors = plants.filter((plant) => {
  const { failed } = run(plant)
  console.log(`${failed > 0 ? 'caught  ' : 'SURVIVED'} ${plant.name}: ${failed} failed`)
  return failed === 0
})
const bad = survivors.length + (control.failed > 0 ? 1 : 0)
console.log(`${plants.length - survivors.length} of ${plants.length} planted faults caught`)
process.exitCode = bad === 0 ? 0 : 1

/** Runs a mutation's tests in a copy with the mutation, or all tests in an unchanged copy. */
function run(plant: Plant | null): Tally {
  const folder = mkdtempSync(join(tmpdir(), 'payments-mutant-'))
  try {
    const filter = (source: string) => source !== 'bench/node_modules'
    for (const name of [...COPIED, ...CONFIGS]) cpSync(name, join(folder, name), { recursive: true, filter })
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
    if (plant !== null) for (const edit of plant.edits) applyTo(folder, edit)
    return test(folder, plant?.tests ?? [...new Set(plants.flatMap(({ tests }) => tests))])
  } finally {
    rmSync(folder, { recursive: true, force: true })
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
function test(folder: string, files: readonly string[]): Tally {
  const { stdout, error } = spawnSync(process.execPath, ['scripts/test.ts', '--sequence.shuffle=false', ...files], {
    cwd: folder,
    encoding: 'utf8',
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 2 ** 28,
  })
  const tally = /^(\d+) passed, (\d+) failed/m.exec(stdout)
  if (tally !== null) return { passed: Number(tally[1]), failed: Number(tally[2]) }
  if (error !== undefined && 'code' in error && error.code === 'ETIMEDOUT') return { passed: 0, failed: 1 }
  throw new Error(`The tests did not run:\n${stdout}`)
}
