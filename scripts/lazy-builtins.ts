import { isBuiltin } from 'node:module'
import type { Plugin } from 'vite'

/** Marks the id of a module that stands for a builtin of Node. */
const PREFIX = '\0builtin:'
/** The same for a CommonJS module. */
const REQUIRED = '\0required-builtin:'

/** Builtins that CommonJS packages require, and use only for what the program does not do: Fastify and undici for HTTP/2. */
const SELDOM: ReadonlySet<string> = new Set(['node:http2'])

/**
 * Makes a bundle take from each builtin of Node only the members that it uses. An `import` of a builtin makes Node read all of its members,
 * also those that are loaded when they are read: with `node:http` comes Node's own copy of undici, a tenth of the time of a start.
 */
export const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  enforce: 'pre',
  resolveId(source, _importer, { kind }) {
    if (kind === 'require-call') return SELDOM.has(source) ? `${REQUIRED}${source}` : null
    return kind === 'import-statement' && isBuiltin(source) ? `${PREFIX}${source}` : null
  },
  load: {
    filter: { id: new RegExp(`^(?:${PREFIX}|${REQUIRED})`) },
    handler(id) {
      const name = id.slice(id.indexOf(':') + 1)
      const members = Object.keys(process.getBuiltinModule(name) ?? {}).filter((member) => member !== 'default')
      if (id.startsWith(REQUIRED))
        return members
          .map(
            (member) =>
              `Object.defineProperty(exports, '${member}', { get: () => process.getBuiltinModule('${name}').${member} })`,
          )
          .join('\n')
      const lines = members.map((member) => `export const ${member} = builtin.${member}`)
      const code = [`const builtin = process.getBuiltinModule('${name}')`, 'export default builtin', ...lines].join(
        '\n',
      )
      return { code, moduleSideEffects: false }
    },
  },
}
