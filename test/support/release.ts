import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { missing } from './postgres.ts'

const ROOT = join(import.meta.dirname, '../..')
/** What a process runs from; its packages are those of this checkout. */
const PARTS = ['src', 'package.json', 'schema.graphql']

/**
 * Returns the commit of the last release, as `release.json` names it. Without the history of this checkout throws under CI; elsewhere
 * prints why tests are skipped, and returns null.
 */
export function lastRelease(): string | null {
  const { commit } = JSON.parse(readFileSync(join(ROOT, 'release.json'), 'utf8')) as { commit: string }
  const found = spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT, stdio: 'ignore' })
  if (found.status === 0) return commit
  missing(`The last release (${commit}) is not in the history of this checkout`, 'run `git fetch --unshallow`')
  return null
}

/** Writes the program of a commit to a folder. Returns the path of its entry. */
export function unpackRelease(commit: string, folder: string): string {
  mkdirSync(folder)
  const archive = execFileSync('git', ['archive', commit, ...PARTS], { cwd: ROOT, maxBuffer: 2 ** 28 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  return linked(folder)
}

/**
 * Writes the program of this checkout to a folder, with further migrations: paths below `src/store/migrations/` and their texts.
 * Returns the path of its entry.
 */
export function copyProgram(folder: string, migrations: Readonly<Record<string, string>>): string {
  mkdirSync(folder)
  for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  for (const [path, text] of Object.entries(migrations)) writeFileSync(join(folder, 'src/store/migrations', path), text)
  return linked(folder)
}

function linked(folder: string): string {
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return join(folder, 'src/main.ts')
}
