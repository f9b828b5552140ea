import { existsSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'

const OWNER_ONLY = 0o600
/** Longer than a drain may take, in milliseconds. A process that was killed meanwhile leaves its mark behind. */
const LONGEST_MS = 20_000
/** Files have finer times than the clock, and may be slightly ahead of it. */
const CLOCK_STEP_MS = 1_000

/**
 * Marks a database as about to be released: a process that starts meanwhile waits for it, instead of failing as beside one
 * that goes on. Returns the function that removes the mark.
 */
export function markEnding(path: string): () => void {
  const mark = markOf(path)
  try {
    // Its time counts, which an empty write over an empty file would leave as it is.
    writeFileSync(mark, 'ending\n', { mode: OWNER_ONLY })
  } catch {
    // Without the mark the next process fails at once; a full disk must not delay the end of this one.
  }
  return () => removeMark(mark)
}

/** Whether the process that has a database open marked it as about to be released, in the last 20 seconds. */
export function isEnding(path: string): boolean {
  const age = Date.now() - (statSync(markOf(path), { throwIfNoEntry: false })?.mtimeMs ?? -Infinity)
  return age > -CLOCK_STEP_MS && age < LONGEST_MS
}

/** Removes what an earlier process left behind. For the process that holds the lock. */
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
    // It counts for 20 seconds at most.
  }
}
