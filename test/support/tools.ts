import { spawnSync } from 'node:child_process'
import { missing } from './postgres.ts'

/** Returns whether a program is installed. If not, throws under CI; elsewhere the tests that need it are skipped. */
export function hasTool(name: string, debianPackage: string): boolean {
  if (spawnSync(name, ['--help']).error === undefined) return true
  missing(`There is no ${name}`, `install it (\`apt-get install ${debianPackage}\`)`)
  return false
}
