import { execFileSync } from 'node:child_process'
import { isProgramBuilt, PROGRAM } from '../../scripts/program.ts'

/** The product's main module as it is built for production. */
export const BUILT = PROGRAM

/** Builds the product if `program` is the built one, and a source has changed since the last build. */
export function buildWhenStale(program: string): void {
  if (program === BUILT && !isProgramBuilt())
    execFileSync('npm', ['run', '--silent', 'build:program'], { stdio: ['ignore', 'ignore', 'inherit'] })
}
