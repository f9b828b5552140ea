const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b])
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d])
/** The white space of JSON: space, tab, line feed, carriage return (RFC 8259, section 2). */
const BLANK: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

/** The keys of one object; null before the first, since most brackets hold none. */
type Keys = { seen: Set<string> | null }

/**
 * Whether any object in a valid JSON text, at any depth, has a key twice: one reader takes the first value and another the
 * last (RFC 8259, section 4). Keys are compared as read, so that `"a"` repeats `"\u0061"`. Takes linear time.
 */
export function hasRepeatedKey(json: string): boolean {
  const open: Keys[] = []
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at)
    if (OPENING.has(code)) open.push({ seen: null })
    else if (CLOSING.has(code)) open.pop()
    else if (code === QUOTE) {
      const end = endOfString(json, at)
      if (isFollowedByColon(json, end) && !isNew(open.at(-1), json.slice(at, end + 1))) return true
      at = end
    }
  }
  return false
}

/** Where the string ends that begins at a position. */
function endOfString(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at
}

function isFollowedByColon(json: string, end: number): boolean {
  let at = end + 1
  while (BLANK.has(json.charCodeAt(at))) at += 1
  return json.charCodeAt(at) === COLON
}

function isNew(keys: Keys | undefined, literal: string): boolean {
  const key = literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1)
  if (keys === undefined || keys.seen?.has(key) === true) return false
  keys.seen ??= new Set()
  keys.seen.add(key)
  return true
}
