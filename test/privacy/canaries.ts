/** Unique texts, each made for one place, which can be recognized in any output. */
export type Canaries = {
  /** Returns a text of letters and digits, as in a name, an id or a code. Equal places have equal texts. */
  word(place: string): string
  email(place: string): string
  /** Returns nine digits. */
  digits(place: string): string
  /** Returns the places whose canaries occur in a text, in any case, each once. */
  foundIn(text: string): string[]
  /** Registers an existing text as a canary. */
  learn(place: string, text: string): void
}

// Both begin with a constant text, for which whole files are searched quickly.
const WORD = /kanarie(\d+)x/g
const FIRST_DIGITS = '9070'
const DIGITS = /9070(?<!\d9070)\d{5}(?!\d)/g

export function createCanaries(): Canaries {
  const places: string[] = []
  const numbers = new Map<string, string>()
  const learnt: [place: string, text: string][] = []
  const numberOf = (place: string): number => {
    const known = places.indexOf(place)
    return known === -1 ? places.push(place) - 1 : known
  }
  const word = (place: string) => `kanarie${numberOf(place)}x`
  return {
    word,
    email: (place) => `${word(place)}@example.test`,
    digits(place) {
      const digits = `${FIRST_DIGITS}${String(numberOf(place)).padStart(5, '0')}`
      numbers.set(digits, place)
      return digits
    },
    learn: (place, text) => void learnt.push([place, text]),
    foundIn(text) {
      const words = Array.from(text.toLowerCase().matchAll(WORD), ([, number]) => places[Number(number)])
      // Hashes can contain such digits too: only those that were issued count.
      const digits = Array.from(text.matchAll(DIGITS), ([found]) => numbers.get(found))
      const others = learnt.flatMap(([place, secret]) => (text.includes(secret) ? [place] : []))
      return [...new Set([...words, ...digits, ...others].filter((place) => place !== undefined))]
    },
  }
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** Keys whose values must stay, so that a body remains valid: ids, statuses, codes, amounts, instants, URLs. */
const STRUCTURE =
  /^(?:uuid|id|\w+_id|status|currency\w*|code|\w*method\w*|type|payment_agreement_type|pay_id_type|frequency|\w*amount|total|price|\w*date|\w*_at|\w*url|success|access_token|token_type|expires_in|next_page|is_refundable|qr_content)$/

/** Returns a body with a canary in every text that can be replaced, and an unknown field in every object. */
export function poisoned(canaries: Canaries, source: string, json: Json, key = ''): Json {
  if (typeof json === 'string') return json === '' || STRUCTURE.test(key) ? json : canaries.word(`${source}.${key}`)
  if (typeof json !== 'object' || json === null) return json
  if (Array.isArray(json)) return json.map((item: Json) => poisoned(canaries, source, item, key))
  const entries = Object.entries(json).map(([name, value]): [string, Json] => [
    name,
    // The id of a card's token is a credential, unlike other ids.
    key === 'token' ? canaries.word(`${source}.token.${name}`) : poisoned(canaries, source, value, name),
  ])
  return Object.fromEntries([...entries, [canaries.word(`${source}.a key`), canaries.word(`${source}.of a key`)]])
}
