import { execFileSync } from 'node:child_process'
import { existsSync, globSync, statSync } from 'node:fs'

/** The product's main module as it is built for production. */
export const BUILT = 'dist/main.js'

/** Builds the product when it is what a bench measures, and a source has changed since it was built. */
export function buildWhenStale(program: string): void {
  if (program === BUILT && isStale())
    execFileSync('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] })
}

function isStale(): boolean {
  if (!existsSync(BUILT)) return true
  const { mtimeMs } = statSync(BUILT)
  return globSync('src/**/*.{ts,tsx,sql}').some((source) => statSync(source).mtimeMs > mtimeMs)
}
