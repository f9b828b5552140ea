/** Copies the built page of the sandbox, with what it loads and the licence notices, to the package in the working directory. `npm run build:web` builds it. */
import { cpSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { NOTICES } from './notices.ts'

const ROOT = resolve(import.meta.dirname, '..')
const BUILT = join(ROOT, 'dist/web')
const ASSETS = new Set(globSync('assets/*', { cwd: BUILT }))

const files = new Set(['sandbox/index.html'])
// A set is iterated to its end, and that includes what is added meanwhile.
for (const file of files)
  for (const [name] of readFileSync(join(BUILT, file), 'latin1').matchAll(/[\w-]+\.(?:js|css|svg|woff2)\b/g))
    if (ASSETS.has(`assets/${name}`)) files.add(`assets/${name}`)
for (const file of [...files].flatMap((path) => globSync(`${path}{,.gz,.br}`, { cwd: BUILT })))
  cpSync(join(BUILT, file), join('dist/web', file))
cpSync(join(ROOT, NOTICES), 'dist/web/license.md')
