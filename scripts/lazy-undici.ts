import * as undici from 'undici'
import type { Plugin } from 'vite'

const ID = '\0lazy-undici'
/** Folder and name of the chunk with all of undici, beside the chunks that need it. */
const FOLDER = 'program'
const WHOLE = 'undici'

/** Gives connections their methods for requests, as undici does when it is loaded as a whole. */
const METHODS =
  "Object.assign(require('undici/lib/dispatcher/dispatcher.js').prototype, require('undici/lib/api/index.js'))"

/** Members that are there from the start on, each with the file that has it. */
const AT_ONCE: Readonly<Record<string, string>> = {
  Agent: 'undici/lib/dispatcher/agent.js',
  Pool: 'undici/lib/dispatcher/pool.js',
}

/**
 * Makes a bundle load undici as a whole, with its fetch, caches and WebSocket, when a member is used that needs it. A start needs its
 * connections only, and takes a twentieth less time and a megabyte less memory.
 */
export const lazyUndici: Plugin = {
  name: 'lazy-undici',
  enforce: 'pre',
  buildStart() {
    this.emitFile({ type: 'chunk', id: 'undici/index.js', fileName: `${FOLDER}/${WHOLE}.js` })
  },
  resolveId(source) {
    return source === 'undici' ? ID : null
  },
  load: {
    filter: { id: new RegExp(`^${ID}$`) },
    handler() {
      const members = Object.keys(undici)
        .filter((member) => member !== 'default' && /^\w+$/.test(member))
        .map((member) => {
          const file = AT_ONCE[member]
          const value = file === undefined ? `whole().${member}` : `require('${file}')`
          return `Object.defineProperty(exports, '${member}', { enumerable: true, get: () => ${value} })`
        })
      const load = "process.getBuiltinModule('node:module').createRequire(import.meta.url)"
      return [`const whole = () => ${load}('./${WHOLE}.js').default`, METHODS, ...members].join('\n')
    },
  },
}
