import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../group-commit.ts'
import { toLink } from '../rows/link-rows.ts'
import { toPayment } from '../rows/payment-rows.ts'
import type { PaymentSearch, SearchField, SearchMatch, SearchResult } from '../subject-stores.ts'
import { LOOKED_AT } from './read-page.ts'

/** The function that returns where a text is in another, from 1 on. */
export type PositionFunction = 'instr' | 'strpos'

/** An indexed expression, and the table and column with what it leads to. */
type Source = {
  readonly field: SearchField
  readonly from: RawBuilder<unknown>
  readonly by: RawBuilder<unknown>
  readonly payment: RawBuilder<unknown>
  readonly link: RawBuilder<unknown>
  readonly where: RawBuilder<unknown>
  /** True if its ASCII letters are in lower case; otherwise the text is tried as it is, in lower and in upper case. */
  readonly lowered: boolean
}

/** Greater than every other character, in the order of bytes. */
const LAST_CHARACTER = '\u{10FFFF}'

/**
 * Returns the payments, and the links without one, of which a field begins with a text, whatever its case. Each field has its index, except
 * the amount and the last four digits of the card: the newest payments alone are compared by these, and, where nothing begins with the text,
 * by the ends of their references and ids.
 */
export async function searchPayments(
  db: Db,
  position: PositionFunction,
  { text, fields, limit }: PaymentSearch,
): Promise<SearchResult> {
  const sources = sourcesOf(position).filter(({ field }) => fields.includes(field))
  const ranges = sources.flatMap((source) =>
    beginningsOf(text, source).map((beginning) => rangeOf(source, beginning, limit + 1)),
  )
  const compared = comparisonsOf(text).filter(({ field }) => fields.includes(field))
  const newest = (comparisons: readonly Comparison[]) => comparisons.map((one) => newestWith(one, limit + 1))
  const begun = await foundBy(db, [...ranges, ...newest(compared)])
  const rows = begun.length > 0 ? begun : await foundBy(db, newest(endingsOf(text, fields)))
  const matches = await matchesOf(db, rows)
  return { matches: matches.slice(0, limit), more: matches.length > limit || isAnyFull(rows, limit) }
}

async function foundBy(db: Db, parts: readonly RawBuilder<unknown>[]): Promise<readonly Found[]> {
  if (parts.length === 0) return []
  return (await sql<Found>`${sql.join(parts, sql` union all `)}`.execute(db)).rows
}

/** How people read out a reference or an id: by its end. A word without a digit is rather a status. */
const ENDING = /^(?=.*\d)[\w-]{4,}$/

/** Returns how a text is compared with the ends of references and ids. */
function endingsOf(text: string, fields: readonly SearchField[]): Comparison[] {
  if (!ENDING.test(text)) return []
  const endsWith = (column: string) => {
    const name = sql.ref(column)
    return sql`lower(substr(${name}, length(${name}) - ${sql.lit(text.length - 1)})) = ${inLowerCase(text)}`
  }
  const all = [
    { field: 'REFERENCE', where: sql`(${endsWith('reference')} or ${endsWith('other_reference')})` },
    { field: 'PAYMENT_ID', where: endsWith('id') },
  ] as const
  return all.filter(({ field }) => fields.includes(field))
}

type Found = { readonly field: SearchField; readonly payment: string | null; readonly link: string | null }

/** Returns a text with its ASCII letters in lower case, as `lower` does in the indexes of both databases. */
export function inLowerCase(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}

function sourcesOf(position: PositionFunction): Source[] {
  const payments = { from: sql`payments`, payment: sql`id`, link: sql`null` }
  const links = { from: sql`links`, payment: sql`payment_id`, link: sql`id` }
  const payers = { from: sql`payment_payers`, payment: sql`payment_id`, link: sql`null` }
  const lower = (column: string, part = sql.ref(column)) => ({
    by: sql`lower(${part})`,
    where: sql`${sql.ref(column)} is not null`,
    lowered: true,
  })
  const afterWord = (text: RawBuilder<unknown>) => sql`substr(${text}, ${sql.raw(position)}(${text}, ' ') + 1)`
  const second = afterWord(sql`name`)
  const exact = { by: sql`id`, where: sql`1 = 1`, lowered: false }
  return [
    { field: 'REFERENCE', ...payments, ...lower('reference') },
    { field: 'REFERENCE', ...payments, ...lower('other_reference') },
    { field: 'REFERENCE', ...links, ...lower('reference') },
    { field: 'PAYMENT_ID', ...payments, ...exact },
    { field: 'LINK_ID', ...links, ...exact },
    { field: 'PAYER_NAME', ...payers, ...lower('name') },
    { field: 'PAYER_NAME', ...payers, ...lower('name', second) },
    { field: 'PAYER_NAME', ...payers, ...lower('name', afterWord(second)), where: sql`name like '% % %'` },
    { field: 'PAYER_NAME', ...payers, ...lower('name', LAST_WORD), where: sql`name like '% % % %'` },
    { field: 'PAYER_EMAIL', ...payers, ...lower('email') },
  ]
}

const LAST_WORD = sql`replace(name, rtrim(name, replace(name, ' ', '')), '')`

type Comparison = { readonly field: SearchField; readonly where: RawBuilder<unknown> }

/** An amount without separators, with or without a currency. */
const AMOUNT = /^(?<before>[a-z]{3,4})?\s?(?<value>\d{1,15}(?:\.\d{1,6})?)\s?(?<after>[a-z]{3,4})?$/i
/** As on a receipt, with or without a mask. */
const LAST_FOUR = /^[*•x.\s]*(\d{4})$/i

/** Returns how a text is compared with amounts and with the last four digits of cards. */
function comparisonsOf(text: string): Comparison[] {
  const { before, value, after } = AMOUNT.exec(text.replaceAll(/^\p{Sc}|,(?=\d{3}(?:\D|$))/gu, ''))?.groups ?? {}
  const currency = (before ?? after)?.toUpperCase()
  const [, last4] = LAST_FOUR.exec(text) ?? []
  const isIn = currency === undefined ? sql`` : sql` and currency = ${currency}`
  return [
    ...(value === undefined
      ? []
      : [{ field: 'AMOUNT', where: sql`cast(amount as numeric) = cast(${value} as numeric)${isIn}` } as const]),
    ...(last4 === undefined ? [] : [{ field: 'CARD_LAST4', where: sql`card_last4 = ${last4}` } as const]),
  ]
}

function newestWith({ field, where }: Comparison, limit: number): RawBuilder<unknown> {
  const newest = sql`select id, amount, currency, card_last4, reference, other_reference from payments order by number desc limit ${sql.lit(LOOKED_AT)}`
  const rows = sql`select id from (${newest}) as looked where ${where} limit ${sql.lit(limit)}`
  return sql`select ${sql.lit(field)} as field, id as payment, null as link from (${rows}) as found`
}

/** Returns the spellings of a text to look for. Only ASCII letters are lowered in an index, so that an accented one is tried as a capital, too. */
function beginningsOf(text: string, { field, lowered }: Source): string[] {
  if (!lowered) return [...new Set([text, text.toLowerCase(), text.toUpperCase()])]
  return [...new Set(field === 'PAYER_NAME' ? sharpSpellings(text) : casesOf(text))]
}

function casesOf(text: string): string[] {
  const lower = text.toLowerCase()
  if (IS_ASCII.test(lower.replaceAll('ß', ''))) return [lower]
  const titled = lower.replaceAll(/(?<=^|\P{L})\p{L}/gu, (letter) => letter.toUpperCase())
  // Systems differ in how they write accents: as parts of letters, or as characters of their own.
  const spellings = [text, lower, text.toUpperCase(), titled]
  return [text, ...spellings.map((one) => one.normalize()), ...spellings.map((one) => one.normalize('NFD'))]
}

// oxlint-disable-next-line no-control-regex
const IS_ASCII = /^[\0-\x7f]*$/

/** What a name can be spelled with in two ways. The last letter of a beginning can be half of one. */
const SHARP = /ß|ẞ|ss|s$/gi
/** Combinations are looked for at so many places of a text; others stay as they are. */
const MAX_SHARP_PLACES = 3

/** Returns the cases of a text, also with ß where it has ss, and the other way round: full case folding makes them equal, and `lower` does not. */
function sharpSpellings(text: string): string[] {
  let spellings = ['']
  let end = 0
  for (const { 0: spelled, index } of [...text.matchAll(SHARP)].slice(0, MAX_SHARP_PLACES)) {
    const ways = new Set([spelled.length === 1 && /s/i.test(spelled) ? spelled : 'ss', 'ß'])
    spellings = spellings.flatMap((before) => [...ways].map((way) => before + text.slice(end, index) + way))
    end = index + spelled.length
  }
  const cases = spellings.flatMap((before) => casesOf(before + text.slice(end)))
  const capital = text.toUpperCase().replaceAll(SHARP, 'ẞ')
  return cases.concat(capital.normalize(), capital.normalize('NFD'))
}

function rangeOf(
  { field, from, by, payment, link, where, lowered }: Source,
  text: string,
  limit: number,
): RawBuilder<unknown> {
  const first = lowered ? inLowerCase(text) : text
  const end = `${first}${LAST_CHARACTER}`
  // In the order of the index, so that no more rows are read than these.
  const rows = sql`select ${payment} as payment, ${link} as link from ${from}
    where ${where} and ${by} >= ${first} and ${by} < ${end} order by ${by} limit ${sql.lit(limit)}`
  return sql`select ${sql.lit(field)} as field, payment, link from (${rows}) as found`
}

/** One row can be found by several spellings. */
function isAnyFull(rows: readonly Found[], limit: number): boolean {
  const found = new Map<SearchField, Set<string | null>>()
  for (const { field, payment, link } of rows) found.set(field, (found.get(field) ?? new Set()).add(payment ?? link))
  return Math.max(0, ...[...found.values()].map(({ size }) => size)) > limit
}

async function matchesOf(db: Db, found: readonly Found[]): Promise<SearchMatch[]> {
  const ofPayments = fieldsBy(found, ({ payment }) => payment)
  const ofLinks = fieldsBy(found, ({ payment, link }) => (payment === null ? link : null))
  const payments = await rowsOf(ofPayments, (ids) =>
    db
      .selectFrom('payments')
      .select(['id', 'number', 'state_json'])
      .where('id', 'in', ids)
      .where('amount', 'is not', null)
      .execute(),
  )
  const links = await rowsOf(ofLinks, (ids) => db.selectFrom('links').selectAll().where('id', 'in', ids).execute())
  return [
    ...payments.map((row) => ({
      payment: toPayment(row.state_json),
      link: null,
      fields: ofPayments.get(row.id) ?? [],
    })),
    ...links.map((row) => ({ payment: null, link: toLink(row), fields: ofLinks.get(row.id) ?? [] })),
  ]
}

async function rowsOf<Row extends { readonly number: number }>(
  ids: ReadonlyMap<string, unknown>,
  read: (ids: readonly string[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  if (ids.size === 0) return []
  return (await read([...ids.keys()])).toSorted((one, other) => other.number - one.number)
}

function fieldsBy(found: readonly Found[], keyOf: (row: Found) => string | null): Map<string, SearchField[]> {
  const fields = new Map<string, SearchField[]>()
  for (const row of found) {
    const key = keyOf(row)
    if (key === null) continue
    const known = fields.get(key) ?? []
    if (!known.includes(row.field)) fields.set(key, [...known, row.field])
  }
  return fields
}
