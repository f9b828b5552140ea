import { SOCKET_LIMITS } from '../src/config/limits.ts'
import { SETTINGS, settingsIn } from '../src/config/settings.ts'

/** The comment above a name in the source. */
const DESCRIBED = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s+(?:\w+: \{\s+name: ')?(\w+)/g

/** Returns the page with the table of all settings, between its two comments. `source` is that of src/config/settings.ts. */
export function withSettings(page: string, source: string): string {
  const descriptions = descriptionsIn(source)
  const rows = settingsIn(SETTINGS).map(({ name, default: value, required }) => {
    const mark = required === undefined ? '' : ' *'
    return `| \`${name}\`${mark} | ${value === undefined ? '' : `\`${value}\``} | ${descriptions.get(name)} |`
  })
  return withTable(page, 'settings', ['| Setting | Default | Meaning |', '|---|---|---|', ...rows])
}

/** Returns the page with the table of the limits of a WebSocket, between its two comments. `source` is that of src/config/limits.ts. */
export function withSocketLimits(page: string, source: string): string {
  const descriptions = descriptionsIn(source)
  const rows = Object.entries(SOCKET_LIMITS).map(
    ([name, value]) => `| \`${name}\` | ${value.toLocaleString('en')} | ${descriptions.get(name)} |`,
  )
  return withTable(page, 'socket limits', ['| Limit | Default | What it limits |', '|---|---|---|', ...rows])
}

function descriptionsIn(source: string): Map<string, string> {
  return new Map(
    Array.from(source.matchAll(DESCRIBED), ([, text = '', name = '']) => [
      name,
      text.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim(),
    ]),
  )
}

/** Returns the page with `rows` between its two comments that name the table. A page without them stays as it is. */
export function withTable(page: string, what: string, rows: readonly string[]): string {
  const between = new RegExp(`(<!-- ${what} -->\n)[^]*?(<!-- end of ${what} -->)`)
  return page.replace(between, (_all, begin: string, end: string) => `${begin}\n${rows.join('\n')}\n\n${end}`)
}
