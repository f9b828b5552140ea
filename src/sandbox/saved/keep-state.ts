import type { SandboxStore } from '../state/sandbox-store.ts'
import { restoreRows, savedRows } from './saved-state.ts'
import { openStateFile } from './state-file.ts'

/** Milliseconds from a change to the write of it. */
const AFTER_CHANGE_MS = 200

/** A write waits for at least so many times the duration of the last one, so that a large state does not slow the sandbox. */
const SHARE = 20

/** Restores the state of a file, and keeps the file up to date. Returns the function that writes the last state and closes it. */
export function keepState(store: SandboxStore, path: string): () => void {
  const file = openStateFile(path)
  restoreRows(store, file.read())
  let timer: NodeJS.Timeout | undefined
  let lastMs = 0
  const write = (): void => {
    timer = undefined
    const started = performance.now()
    file.write(savedRows(store))
    lastMs = performance.now() - started
  }
  const stopListening = store.changes.listen(() => {
    timer ??= setTimeout(write, Math.max(AFTER_CHANGE_MS, lastMs * SHARE)).unref()
  })
  let isClosed = false
  return () => {
    if (isClosed) return
    isClosed = true
    stopListening()
    clearTimeout(timer)
    write()
    file.close()
  }
}
