import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What a test needs of the machine besides Node. */
type Means = 'gcc' | 'tmpfs' | 'promtool'

const NEEDS: Readonly<Record<Means, { readonly what: string; readonly isThere: () => boolean }>> = {
  gcc: {
    what: 'gcc on Linux, for a library that is preloaded',
    isThere: () => process.platform === 'linux' && spawnSync('gcc', ['--version']).status === 0,
  },
  promtool: {
    what: 'promtool, which the package prometheus of Debian has',
    isThere: () => spawnSync('promtool', ['--version']).status === 0,
  },
  tmpfs: { what: 'the right to mount a tmpfs, which root has on Linux', isThere: canMount },
}

/**
 * Returns true if the test must be skipped because the machine lacks this, and prints what is missing. Under CI nothing is skipped: there
 * the test fails.
 */
export function lacks(means: Means): boolean {
  const { what, isThere } = NEEDS[means]
  if (process.env['CI'] !== undefined || isThere()) return false
  process.stdout.write(`skipped: it takes ${what}\n`)
  return true
}

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'payments-mount-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0
  if (mounted) spawnSync('umount', [folder])
  rmdirSync(folder)
  return mounted
}
