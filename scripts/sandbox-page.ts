/** Copies the built page of the sandbox, with its licence notices, to the package in the working directory. `npm run build:web` builds it. */
import { cpSync, globSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { noticesOfPage } from './notices.ts'

const ROOT = resolve(import.meta.dirname, '..')

for (const file of globSync(['dist/web/sandbox/*', 'dist/web/assets/sandbox-*'], { cwd: ROOT }))
  cpSync(join(ROOT, file), file)
cpSync(join(ROOT, noticesOfPage('sandbox')), 'dist/web/license.md')
