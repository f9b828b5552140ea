/**
 * Compiles src and the client kit to dist, copies the files that the code reads at run time next to it, and builds the
 * pages.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'

const SOURCE = 'src'
const TARGET = 'dist'
const ASSETS = ['store/migrations/**/*.sql', '**/*.{css,html,js}']

rmSync(TARGET, { recursive: true, force: true })
run('npm', ['run', '--silent', 'codegen'])
run('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json'])
run('node_modules/.bin/tsc', ['-p', 'src/client/tsconfig.build.json'])
cpSync('src/client/generated/trusted-documents.json', join(TARGET, 'client/trusted-documents.json'))
run(process.execPath, ['scripts/client-size.ts'])
const assets = globSync(
  ASSETS.map((pattern) => join(SOURCE, pattern)),
  { exclude: ['src/web/**'] },
)
for (const asset of assets) cpSync(asset, join(TARGET, relative(SOURCE, asset)))
run(process.execPath, ['scripts/client-schema.ts'])
run(process.execPath, ['scripts/build-web.ts'])
console.log(`${TARGET} is built, with ${assets.length} assets.`)

function run(command: string, args: string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' })
  if (error !== undefined) throw error
  if (status !== 0) process.exit(status ?? 1)
}
