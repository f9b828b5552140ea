import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Plugin } from 'vite'

/**
 * How a module is loaded by those that require it: `whole` when they require it, which they do only when they need it; `members` when they
 * first read a member; `calls` when they first call it, or one of its functions.
 */
type Use = 'whole' | 'members' | 'calls'

/** CommonJS modules that a start does not need, by their path below node_modules. */
const LAZY: Readonly<Record<string, Use>> = {
  // The whole of it has a fetch, caches and a WebSocket; a start needs its connections only, which are `AT_ONCE`.
  'undici/index.js': 'members',
  // No connection speaks HTTP/2.
  'undici/lib/dispatcher/client-h2.js': 'calls',
  // One of the parsers is used.
  'undici/lib/llhttp/llhttp-wasm.js': 'whole',
  'undici/lib/llhttp/llhttp_simd-wasm.js': 'whole',
  'undici/lib/milo/no-simd.js': 'whole',
  'undici/lib/milo/simd.js': 'whole',
  // For bodies that are neither text nor bytes.
  'undici/lib/web/fetch/body.js': 'whole',
  'undici/lib/web/webidl/index.js': 'whole',
  // No route has a JSON schema, and no request is injected.
  '@fastify/ajv-compiler/index.js': 'whole',
  '@fastify/fast-json-stringify-compiler/index.js': 'whole',
  'light-my-request/index.js': 'whole',
  // Files are sent by their names.
  'glob/dist/commonjs/index.min.js': 'calls',
  // For a schema that was not built from its document, with all of @graphql-tools/utils.
  '@apollo/subgraph/dist/printSubgraphSchema.js': 'members',
  // For the exemplars of a scrape.
  '@opentelemetry/api/dist/index.cjs': 'members',
}

/** Members of a lazy module that are there from the start on, each with the file that has it, and what completes them. */
const AT_ONCE: Readonly<
  Record<string, { readonly first: string; readonly members: Readonly<Record<string, string>> }>
> = {
  'undici/index.js': {
    first:
      "Object.assign(require('undici/lib/dispatcher/dispatcher.js').prototype, require('undici/lib/api/index.js'))",
    members: { Agent: 'undici/lib/dispatcher/agent.js', Pool: 'undici/lib/dispatcher/pool.js' },
  },
}

/** Folder of the chunks, beside the chunks that need them. */
const FOLDER = 'program'
/** Marks the id of a module that loads a chunk. */
const PREFIX = '\0lazy:'
const require = createRequire(import.meta.url)

/**
 * Puts the modules of `LAZY` into chunks of their own, and makes a bundle load each of them when it is used. What is never loaded costs a
 * start neither time nor memory.
 */
export function lazyModules(root: string): Plugin {
  const pathOf = (file: string) => join(root, 'node_modules', file)
  return {
    name: 'lazy-modules',
    enforce: 'pre',
    buildStart() {
      for (const file of Object.keys(LAZY))
        this.emitFile({ type: 'chunk', id: pathOf(file), fileName: `${FOLDER}/${chunkOf(file)}` })
    },
    async resolveId(source, importer, options) {
      // What nothing imports is a chunk itself.
      if (importer === undefined) return null
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true })
      const file = resolved?.id.split('/node_modules/').at(-1)
      // In a `.cjs` the stub could not use `import.meta`.
      return file !== undefined && file in LAZY ? `${PREFIX}${file.replace(/\.cjs$/, '.cjs.js')}` : null
    },
    load: {
      filter: { id: new RegExp(`^${PREFIX}`) },
      handler(id) {
        const file = id.slice(PREFIX.length).replace('.cjs.js', '.cjs')
        return stubOf(file, require(pathOf(file)))
      },
    },
  }
}

/** Returns the name of a chunk. */
function chunkOf(file: string): string {
  return file
    .replace(/(?:\/index(?:\.min)?)?\.c?js$/, '.js')
    .replace('@', '')
    .replaceAll('/', '-')
}

/** Returns the CommonJS module that stands for a lazy one, which is loaded here to know what it exports. */
function stubOf(file: string, whole: unknown): string {
  const load = `process.getBuiltinModule('node:module').createRequire(import.meta.url)('./${chunkOf(file)}').default`
  const use = LAZY[file]
  if (use === 'whole') return `module.exports = ${load}`
  const head = `const whole = () => ${load}`
  if (typeof whole === 'function') return `${head}\nmodule.exports = (...args) => whole()(...args)`
  const { first = '', members: atOnce = {} } = AT_ONCE[file] ?? {}
  const members = Object.keys(Object(whole)).filter((member) => member !== 'default' && /^\w+$/.test(member))
  const lines = members.map((member) => {
    if (use === 'calls') return `exports.${member} = (...args) => whole().${member}(...args)`
    const early = atOnce[member]
    const value = early === undefined ? `whole().${member}` : `require('${early}')`
    return `Object.defineProperty(exports, '${member}', { enumerable: true, get: () => ${value} })`
  })
  return [head, first, ...lines].join('\n')
}
