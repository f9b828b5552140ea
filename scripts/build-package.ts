/**
 * Compiles the package in the working directory from its `src` to its `dist`, with declarations and source maps. `npm pack` runs it in each
 * package; in the repository itself the sources are used, by the condition `payments-subgraph-source` of their exports.
 */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'

const TSC = resolve(import.meta.dirname, '../node_modules/.bin/tsc')
const EMIT = ['--noEmit', 'false', '--declaration', '--declarationMap', '--sourceMap']

rmSync('dist', { recursive: true, force: true })
const { status, error } = spawnSync(TSC, ['-p', '.', ...EMIT, '--rootDir', 'src', '--outDir', 'dist'], {
  stdio: 'inherit',
})
if (error !== undefined) throw error
process.exitCode = status ?? 1
