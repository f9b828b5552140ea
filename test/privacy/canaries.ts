/** Texts that stand nowhere but where they were put, each made for one place and found again anywhere. */
export type Canaries = {
  /** Letters and digits: what a name, an id or a code may be made of. The same place has the same text. */
  word(place: string): string
  email(place: string): string
  /** Nine digits. */
  digits(place: string): string
  /** The places whose canaries stand in a text, in whatever case, each once. */
  foundIn(text: string): string[]
  /** Makes a text known that somebody else has made. */
  learn(place: string, text: string): void
}

const WORD = /kanarie(\d+)x/gi
const FIRST_DIGITS = '9070'
const DIGITS = /(?<!\d)9070\d{5}(?!\d)/g

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
      const words = Array.from(text.matchAll(WORD), ([, number]) => places[Number(number)])
      // Hashes have digits of their own: only those that were given out count.
      const digits = Array.from(text.matchAll(DIGITS), ([found]) => numbers.get(found))
      const others = learnt.flatMap(([place, secret]) => (text.includes(secret) ? [place] : []))
      return [...new Set([...words, ...digits, ...others].filter((place) => place !== undefined))]
    },
  }
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** What a body has to keep so that it is still understood: ids, statuses, codes, amounts, instants, addresses. */
const STRUCTURE =
  /^(?:uuid|id|\w+_id|status|currency\w*|code|\w*method\w*|type|payment_agreement_type|pay_id_type|frequency|\w*amount|total|price|\w*date|\w*_at|\w*url|success|access_token|token_type|expires_in|next_page|is_refundable|qr_content)$/

/** A body with a canary in every text that need not stay as it is, and a field that nobody knows in every object. */
export function poisoned(canaries: Canaries, source: string, json: Json, key = ''): Json {
  if (typeof json === 'string') return json === '' || STRUCTURE.test(key) ? json : canaries.word(`${source}.${key}`)
  if (typeof json !== 'object' || json === null) return json
  if (Array.isArray(json)) return json.map((item: Json) => poisoned(canaries, source, item, key))
  const entries = Object.entries(json).map(([name, value]): [string, Json] => [
    name,
    // The id of a card's token is a credential, and no id like the others.
    key === 'token' ? canaries.word(`${source}.token.${name}`) : poisoned(canaries, source, value, name),
  ])
  return Object.fromEntries([...entries, [canaries.word(`${source}.a key`), canaries.word(`${source}.of a key`)]])
}
