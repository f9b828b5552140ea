/** Compiles src and its packages to dist, checks the size of the client kit, bundles the program with its dependencies, and builds the pages. */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { PACKAGES, TARGET } from './program.ts'

rmSync(TARGET, { recursive: true, force: true })
run('npm', ['run', '--silent', 'codegen'])
run(process.execPath, ['scripts/build-web.ts'])
// The packages that are part of this one.
run('npm', ['run', '--silent', 'prepack', ...PACKAGES.map((name) => `--workspace=${name}`)])
run('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json'])
run(process.execPath, ['scripts/client-size.ts'])
// Replaces the compiled main module.
run(process.execPath, ['scripts/build-program.ts'])
run(process.execPath, ['scripts/client-schema.ts'])
console.log(`${TARGET} is built.`)

function run(command: string, args: string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' })
  if (error !== undefined) throw error
  if (status !== 0) process.exit(status ?? 1)
}
