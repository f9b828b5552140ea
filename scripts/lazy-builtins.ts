import { isBuiltin } from 'node:module'
import type { Plugin } from 'vite'

/** Marks the id of a module that stands for a builtin of Node. */
const PREFIX = '\0builtin:'

/**
 * Makes a bundle take from each builtin of Node only the members that it uses. An `import` of a builtin makes Node read all of its members,
 * also those that are loaded when they are read: with `node:http` comes Node's own copy of undici, a tenth of the time of a start.
 */
export const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  enforce: 'pre',
  resolveId(source, _importer, { kind }) {
    return kind === 'import-statement' && isBuiltin(source) ? `${PREFIX}${source}` : null
  },
  load: {
    filter: { id: new RegExp(`^${PREFIX}`) },
    handler(id) {
      const name = id.slice(PREFIX.length)
      const members = Object.keys(process.getBuiltinModule(name) ?? {}).filter((member) => member !== 'default')
      const lines = members.map((member) => `export const ${member} = builtin.${member}`)
      const code = [`const builtin = process.getBuiltinModule('${name}')`, 'export default builtin', ...lines].join(
        '\n',
      )
      return { code, moduleSideEffects: false }
    },
  },
}
