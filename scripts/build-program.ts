/**
 * Bundles the program that `npm start` runs, the sandbox alone and the command line, with their dependencies, to dist/main.js,
 * dist/sandbox.js, dist/cli.js and dist/program, and writes the licence notices of the bundled packages: a start then reads a few files
 * instead of two thousand, and needs no others. The library, `dist/index.js`, is not bundled.
 */
import { cpSync, globSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, defaultServerConditions, type Plugin } from 'vite'
import { notePackages, writeProgramNotices } from './notices.ts'
import { SOURCE, TARGET } from './program.ts'

/** Folder of the files that the code reads at run time. */
const MIGRATIONS = 'store/migrations'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Makes a module of src or of a package find files relative to its own place below dist, and not to that of the bundle. */
const places: Plugin = {
  name: 'places',
  transform: {
    filter: { id: /\/src\/.+\/[^/]+\.ts$/, code: 'import.meta.url' },
    handler(code, id) {
      const place = id.replace(/^.*\/src\//, '').replace(/\.ts$/, '.js')
      return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(`../${place}`)}, import.meta.url).href`)
    },
  },
}

const { plugin, bundled } = notePackages()
rmSync(join(TARGET, 'program'), { recursive: true, force: true })
await build({
  root: ROOT,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  plugins: [places, plugin],
  ssr: { noExternal: true, resolve: { conditions: ['payments-subgraph-source', ...defaultServerConditions] } },
  build: {
    ssr: true,
    target: 'node24',
    outDir: TARGET,
    emptyOutDir: false,
    minify: false,
    chunkSizeWarningLimit: 10_000,
    rolldownOptions: {
      input: {
        main: 'src/main.ts',
        cli: 'src/cli.ts',
        sandbox: 'src/sandbox.ts',
        demo: 'src/demo.ts',
        trigger: 'src/trigger.ts',
        'store/sqlite/read-thread-main': 'src/store/sqlite/read-thread-main.ts',
      },
      // V8 keeps a source with one character beyond Latin-1 in two bytes a character; the notices are in a file of their own.
      output: { charset: 'ascii', comments: false, entryFileNames: '[name].js', chunkFileNames: 'program/[name].js' },
    },
  },
})
writeProgramNotices(bundled)
// One that was moved or removed since the last build would be found beside the others.
rmSync(join(TARGET, MIGRATIONS), { recursive: true, force: true })
for (const file of globSync(`${SOURCE}/${MIGRATIONS}/*.sql`)) cpSync(file, join(TARGET, relative(SOURCE, file)))
