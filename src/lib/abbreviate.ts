/** Characters of a text that an error repeats. Longer ones quote what a client has sent: a value, a name, a document. */
const MOST = 200
/** Characters kept from the beginning of a longer text. The end is kept too, because GraphQL's messages end with what was expected. */
const START = 99

/** Returns a text of at most 200 characters; of a longer one the middle is left out. */
export function abridged(text: string): string {
  if (text.length <= MOST) return text
  return `${text.slice(0, START)}…${text.slice(START + 1 - MOST)}`.toWellFormed()
}
