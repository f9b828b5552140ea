import { execFileSync } from 'node:child_process'
import { existsSync, globSync, statSync } from 'node:fs'

/** The product's main module as it is built for production. */
export const BUILT = 'dist/main.js'

/** Builds the product if `program` is the built one, and a source has changed since the last build. */
export function buildWhenStale(program: string): void {
  if (program === BUILT && isStale())
    execFileSync('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] })
}

function isStale(): boolean {
  if (!existsSync(BUILT)) return true
  const { mtimeMs } = statSync(BUILT)
  return globSync('src/**/*.{ts,tsx,sql}').some((source) => statSync(source).mtimeMs > mtimeMs)
}
