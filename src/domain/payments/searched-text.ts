const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/**
 * Returns what is searched for: of the address of a page its last uuid or else the last segment of its path, of any other text the text
 * without spaces around it.
 */
export function searchedText(text: string): string {
  const given = text.trim()
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given)) return given
  const segment = new URL(given).pathname.split('/').findLast((part) => part !== '')
  return given.match(UUID)?.at(-1) ?? segment ?? given
}
