import { SOCKET_LIMITS, type SocketLimits } from '../src/config/limits.ts'

/** A limit in the source: its description, and its name. */
const LIMIT = /\/\*\*([^]*?)\*\/\s+readonly (\w+): number/g

/**
 * Returns the page with the table of the limits of a WebSocket, between its two comments. `source` is that of src/config/limits.ts: the
 * descriptions are those of the type there, the defaults those of the program.
 */
export function withSocketLimits(page: string, source: string): string {
  const [type = ''] = /export type SocketLimits = \{[^]*?\n\}/.exec(source) ?? []
  const rows = [...type.matchAll(LIMIT)].map(([, text = '', name = '']) => {
    const description = text.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim()
    return `| \`${name}\` | ${SOCKET_LIMITS[name as keyof SocketLimits].toLocaleString('en')} | ${description} |`
  })
  const table = ['| Limit | Default | What it limits |', '|---|---|---|', ...rows].join('\n')
  return page.replace(
    /(<!-- socket limits -->\n)[^]*?(<!-- end of socket limits -->)/,
    (_all, begin: string, end: string) => `${begin}\n${table}\n\n${end}`,
  )
}
