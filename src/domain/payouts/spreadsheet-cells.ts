/**
 * What spreadsheet programs make of the cells of a CSV file: a long account number becomes `1.23457E+11`, a column that is too narrow `#####`, a code
 * a date. What was lost cannot be told from such a cell, and some of it is still a valid account of somebody else.
 */

/** A form that a program writes instead of what was typed, and what is told of it. */
type Damage = readonly [form: RegExp, message: string]

const UNREADABLE = 'has characters that cannot be read: save the file in UTF-8'

/** In every column. Codes such as `12E345` pass: programs write a decimal separator or a plus. */
const ANYWHERE: readonly Damage[] = [
  [/^#+$/, 'is a column that was too narrow for its number'],
  [/^(?:#[¡¿]?[\p{Lu}\p{Lo}][\p{Lu}\p{Lo}\p{M}/_]*0?[!?]?|#n\/a|Err:\d{3})$/u, 'is an error of a spreadsheet program'],
  [/^=/, 'begins with an equals sign'],
  [
    /^['’‘ʼ`]?[+\-−]?\d+(?:[.,]\d*[eE][+\-−]?|[eE]\+)\d+$/,
    'is a number that a spreadsheet program has shortened: format the column as text',
  ],
  [/\uFFFD/, UNREADABLE],
]

/** In names of people and places: programs write a question mark for a letter that their encoding does not have. */
const OF_NAMES: readonly Damage[] = [[/\p{L}\?|\?\p{L}|\?\?/u, UNREADABLE]]

const THOUSANDS = 'has separators of thousands'
const DECIMALS = 'has decimals: format the column as text'
const DATE = 'is a date: format the column as text'

/** The day or the year of a month, in the languages of the merchants' countries. */
const OF_MONTH =
  /^(?=.*\d)(?:\d{1,2}[-./ ]+)?(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec|mei|agu|okt|des|mär|mrz|mai|dez|ene|abr|ago|dic|set|out|fév|avr|août|déc)\.?(?:[-./ ]+(?:\d{2}|\d{4}))?$/i

/** In columns whose cells are codes or numbers, not words. */
const OF_CODES: readonly Damage[] = [
  [
    /^(?:true|false|wahr|falsch|vrai|faux|verdadero|falso|verdadeiro|vero|waar|onwaar|benar|salah)$/i,
    'is a truth value',
  ],
  [/^(?:nan|null|undefined)$/i, 'is what programs write for no value: leave the cell empty'],
  [/^\d{15}0{3,}$/, 'may have lost its digits after the fifteenth, which spreadsheet programs replace by zeros'],
  [/^['’‘ʼ`]/, 'begins with an apostrophe'],
  [/[\p{Cc}\p{Cf}\u2028\u2029]|(?! )\p{Zs}/u, 'has blanks or signs that cannot be seen'],
  [/^[-−(]?\d{1,3}(?:[.,'’]\d{2,3})*[.,'’]\d{3}(?:[.,]\d+)?\)?$/, THOUSANDS],
  [/^[-−(]?\d+[.,]0+\)?$/, DECIMALS],
  [/^[^@\p{Sc}]*\p{Sc}[^@]*$|^[\d.,]+ ?%$|^\([\d.,]+\)$/u, 'is formatted as an amount'],
  [/^\d{1,2}\/\d{1,2}\/(?:\d{2}|\d{4})\b|^\d{4}\/\d{1,2}\/\d{1,2}\b|^\d{4}\. ?\d{1,2}\. ?\d{1,2}\.?$/, DATE],
  [/^\d{1,2}[.-]\d{1,2}[.-](?:19|20)\d{2}(?: \d.*)?$|^\d{1,4}[年月년월]/, DATE],
  [/^\d{1,2}-[A-Z][a-z]{2}(?:-\d{2})?$|^[A-Z][a-z]{2}-\d{2}$/, DATE],
  [/^\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]m)?$/i, 'is a time: format the column as text'],
]

/** In codes that are not the merchant's own: its own may be a day, a month or a version. */
const OF_FOREIGN_CODES: readonly Damage[] = [
  ...OF_CODES,
  [/^[-−(]?\d+[.,]\d+\)?$/, DECIMALS],
  [/^(?:19|20)\d{2}-\d{2}-\d{2}(?:[ T].*)?$|^\d{1,2}\/\d{1,2}$/, DATE],
  [OF_MONTH, DATE],
]

/** A day as a spreadsheet program counts it: 45292 is the first of 2024. */
const OF_DATES: readonly Damage[] = [[/^\d{5}(?:[.,]\d+)?$/, 'is a number instead of a date']]

/** Of currencies without decimals, in which `50.000` is written for fifty thousand. */
const OF_WHOLE_AMOUNTS: readonly Damage[] = [[/^\d{1,3}(?:\.\d{3})+$/, THOUSANDS]]

const WORDS =
  /(?:^|_)(?:email|address|state|country|ip|description|purpose|reason|remarks?|note|message|relationship|occupation)(?:_|$)/
const NAMES = /(?:^|_)(?:payee|name|holder$|street|city|suburb|province)(?:_|$)/
const DATES = /(?:^|_)(?:date|dob|birth|birthday|birthdate|expiry)(?:_|$)/
const OWN_CODES = /(?:^|_)(?:external_id|reference)(?:_|$)/

/**
 * Returns what a spreadsheet program has made of a cell; null if nothing is seen. `column` is the name of its column, such as `account_number`, and
 * `decimals` the digits after the point of the currency.
 */
export function cellProblem(column: string, cell: string, decimals: number): string | null {
  // Full-width digits and signs count like the others.
  const text = cell.normalize('NFKC')
  const isDamage = ([form]: Damage) => form.test(text) || form.test(cell)
  return [...ANYWHERE, ...damagesOf(column, decimals)].find(isDamage)?.[1] ?? null
}

function damagesOf(column: string, decimals: number): readonly Damage[] {
  if (column === 'amount') return decimals === 0 ? OF_WHOLE_AMOUNTS : []
  if (OWN_CODES.test(column)) return OF_CODES
  if (DATES.test(column)) return OF_DATES
  if (NAMES.test(column)) return OF_NAMES
  return WORDS.test(column) ? [] : OF_FOREIGN_CODES
}
