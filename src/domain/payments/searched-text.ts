const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** Returns what is searched for: of the address of a page its last uuid, of any other text the text without spaces around it. */
export function searchedText(text: string): string {
  const given = text.trim()
  const ids = /^https?:\/\//i.test(given) ? given.match(UUID) : null
  return ids?.at(-1) ?? given
}
