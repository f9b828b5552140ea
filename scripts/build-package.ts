/**
 * Compiles the package in the working directory from its `src` to its `dist`, with declarations and source maps. `npm pack` runs it in each
 * package; in the repository itself the sources are used, by the condition `payments-subgraph-source` of their exports.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'vite'

const MODULES = resolve(import.meta.dirname, '../node_modules')
/** The entry of a package that is also built as one file, for pages without a build step. */
const STANDALONE = 'src/standalone.ts'
const EMIT = ['--noEmit', 'false', '--declaration', '--declarationMap', '--sourceMap']

const { bundleDependencies = [] } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly bundleDependencies?: readonly string[]
}
for (const name of bundleDependencies) {
  const folder = realpathSync(join(MODULES, name))
  compile(folder)
  // npm packs bundled packages from here alone, and installs those of a workspace in the root.
  mkdirSync('node_modules', { recursive: true })
  rmSync(join('node_modules', name), { force: true })
  symlinkSync(folder, join('node_modules', name))
}
compile('.')
if (existsSync(STANDALONE)) await bundle(STANDALONE)

function compile(cwd: string): void {
  rmSync(join(cwd, 'dist'), { recursive: true, force: true })
  const args = ['-p', '.', ...EMIT, '--rootDir', 'src', '--outDir', 'dist']
  const { status, error } = spawnSync(join(MODULES, '.bin/tsc'), args, { cwd, stdio: 'inherit' })
  if (error !== undefined) throw error
  if (status !== 0) process.exit(status ?? 1)
}

async function bundle(input: string): Promise<void> {
  rmSync('dist/standalone.js.map')
  await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      outDir: 'dist',
      emptyOutDir: false,
      target: 'es2022',
      minify: true,
      rolldownOptions: { input, preserveEntrySignatures: 'strict', output: { entryFileNames: '[name].js' } },
    },
  })
}
