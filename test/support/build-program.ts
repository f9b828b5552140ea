import { execFileSync } from 'node:child_process'
import { isProgramBuilt } from '../../scripts/program.ts'

/** Builds the program before any test starts it, if a source has changed since it was built. */
export function setup(): void {
  if (!isProgramBuilt()) execFileSync('npm', ['run', '--silent', 'build:program'], { stdio: 'inherit' })
}
