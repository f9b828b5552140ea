/** Characters of a text that an error repeats. Longer ones quote what a client has sent: a value, a name, a document. */
const MOST = 200
/** How much of the beginning of a longer text is kept. The end of GraphQL's messages says what was expected. */
const START = 99

/** A text of at most 200 characters: a longer one is without its middle. */
export function abridged(text: string): string {
  if (text.length <= MOST) return text
  return `${text.slice(0, START)}…${text.slice(START + 1 - MOST)}`.toWellFormed()
}
