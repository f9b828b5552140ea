import { existsSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'

const OWNER_ONLY = 0o600
/** Validity of a mark in milliseconds, longer than a graceful shutdown may take: a process that is killed does not remove its mark. */
const LONGEST_MS = 20_000
/** File times have a finer resolution than the clock, and may be slightly ahead of it. */
const CLOCK_STEP_MS = 1_000

/**
 * Marks a database as about to be released: a process that starts meanwhile waits for it instead of failing. Returns the function that
 * removes the mark.
 */
export function markEnding(path: string): () => void {
  const mark = markOf(path)
  try {
    // Not empty: its modification time counts, and writing nothing to an empty file would not change it.
    writeFileSync(mark, 'ending\n', { mode: OWNER_ONLY })
  } catch {
    // Without the mark the next process fails at once; but a full disk must not delay this shutdown.
  }
  return () => removeMark(mark)
}

/** Returns whether a database was marked as about to be released in the last 20 seconds. */
export function isEnding(path: string): boolean {
  const age = Date.now() - (statSync(markOf(path), { throwIfNoEntry: false })?.mtimeMs ?? -Infinity)
  return age > -CLOCK_STEP_MS && age < LONGEST_MS
}

/** Removes the mark of an earlier process. Only for the process that holds the lock. */
export function clearEnding(path: string): void {
  removeMark(markOf(path))
}

function markOf(path: string): string {
  return `${existsSync(path) ? realpathSync(path) : path}.ending`
}

function removeMark(mark: string): void {
  try {
    rmSync(mark, { force: true })
  } catch {
    // It is valid for at most 20 seconds.
  }
}
