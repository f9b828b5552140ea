/** One event of a stream of server-sent events. */
export type ServerEvent = { readonly name: string; readonly data: string }

/**
 * Parses server-sent events from chunks of text (https://html.spec.whatwg.org/multipage/server-sent-events.html, 9.2.6). Ids
 * and retry times are ignored: the data contains the cursor.
 */
export function createEventParser(): (piece: string) => ServerEvent[] {
  let rest = ''
  let name = ''
  let data: string[] = []

  const readLine = (line: string): ServerEvent | null => {
    if (line === '') {
      const event = data.length === 0 && name === '' ? null : { name, data: data.join('\n') }
      name = ''
      data = []
      return event
    }
    const [field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)?.slice(1) ?? []
    if (field === 'event') name = value
    if (field === 'data') data.push(value)
    return null
  }

  return (piece) => {
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    return lines.map(readLine).filter((event) => event !== null)
  }
}
