import { trimmed } from '../../lib/text.ts'
import { present, problem, TEXT, textProblem, type Problem } from '../field-problems.ts'
import { amountProblem, type Money } from '../money/money.ts'

/** A request for a simulated deposit in the sandbox. */
export type DepositRequest = {
  readonly accountNumber: string
  readonly amount: Money
  readonly remitterName?: string | null | undefined
  readonly remitterBankName?: string | null | undefined
  readonly remitterBranchName?: string | null | undefined
  readonly remarks?: string | null | undefined
  readonly site?: string | null | undefined
}

/** The request in the form in which it is sent, or all its problems. */
type DepositCheck =
  | { readonly ok: true; readonly request: DepositRequest }
  | { readonly ok: false; readonly problems: readonly Problem[] }

const REMITTER_FIELDS = ['remitterName', 'remitterBankName', 'remitterBranchName'] as const

/**
 * Checks a simulated deposit, field by field. For JPY the amount must be in whole units, and the three remitter fields are converted to
 * half-width katakana. Source: payments-api.md, section 4.8, and gap sheet, section 13.
 */
export function checkDeposit(asked: DepositRequest): DepositCheck {
  const request = { ...asked, accountNumber: trimmed(asked.accountNumber) }
  const remitter = REMITTER_FIELDS.map((name) => remitterField(request, name))
  const { remarks } = request
  const problems = present([
    problem(accountProblem(request.accountNumber), ['accountNumber']),
    problem(amountProblem(request.amount), ['amount', 'value']),
    ...remitter.map((field) => field.problem),
    remarks == null ? null : textProblem(remarks, TEXT, ['remarks']),
  ])
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, request: { ...request, ...Object.fromEntries(remitter.map(({ name, value }) => [name, value])) } }
}

/** The payments API documents no format. 1 to 34 letters, digits and hyphens cover every account number in use. */
function accountProblem(accountNumber: string): string | null {
  return /^[0-9A-Za-z-]{1,34}$/.test(accountNumber) ? null : 'must have 1 to 34 letters, digits and hyphens'
}

type RemitterField = { readonly name: string; readonly value: string | null; readonly problem: Problem | null }

function remitterField({ amount, ...request }: DepositRequest, name: (typeof REMITTER_FIELDS)[number]): RemitterField {
  const given = request[name] ?? null
  if (given === null) return { name, value: given, problem: null }
  const value = trimmed(given)
  // The conversion never makes a text shorter, so a text that is too long need not be converted.
  if (amount.currency !== 'JPY' || value.length > TEXT.longest)
    return { name, value, problem: textProblem(value, TEXT, [name]) }
  const converted = toHalfWidthKatakana(value)
  if (converted.ok && !HAS_KANA.test(converted.text))
    return { name, value, problem: problem('must be katakana or hiragana', [name]) }
  if (converted.ok) return { name, value: converted.text, problem: textProblem(converted.text, TEXT, [name]) }
  // The character is payer data, so the message does not contain it.
  const message = `must be katakana or hiragana: the character at position ${converted.position} has no half-width form`
  return { name, value, problem: problem(message, [name]) }
}

/** The text in half-width katakana, or the first character without a half-width form, with its offset in the text. */
type KatakanaConversion =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly position: number; readonly character: string }

/** The full-width forms of U+FF61 to U+FF9D, in the order of that block. */
const FULL_WIDTH =
  '。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン'
const BLOCK_START = 0xff61

const LONG_VOWEL = 'ｰ'
const VOICED_MARK = 'ﾞ'
const SEMI_VOICED_MARK = 'ﾟ'
const COMBINING_MARKS: Readonly<Record<string, string>> = { '\u3099': VOICED_MARK, '\u309a': SEMI_VOICED_MARK }

/** Offset from the code point of a hiragana to that of the katakana with the same sound. */
const HIRAGANA_TO_KATAKANA = 0x60

const TO_HALF_WIDTH = conversionTable()

/** What bank files have besides kana, and the distance from each of these characters to its full-width form. */
const ASCII = /[0-9A-Z ().,/-]/
const FULL_WIDTH_OFFSET = 0xfee0

/** Hyphens, dashes, the minus sign and lines, as keyboards, word processors and lists of banks write a hyphen or a long vowel. */
const DASH = /[-\u2010-\u2015\u2043\u2212\u2500\u2501\ufe58\ufe63\uff0d]/
const HAS_KANA = /[\uff66-\uff9f]/
const ENDS_IN_KANA = /[\uff66-\uff9f]$/

/**
 * Converts katakana and hiragana of any width to half-width katakana, in which a voiced or semi-voiced mark is a separate character: ガ
 * becomes ｶﾞ, and パ becomes ﾊﾟ. Punctuation, digits, Latin letters and spaces of any width become those of bank files, with capital letters. A
 * hyphen or dash after a kana is the mark of a long vowel.
 *
 * Everything else is rejected, such as the kana without a half-width form (ヮ ヰ ヱ ヵ ヶ, iteration marks), because another spelling would be
 * another name. Source: payments-api.md, section 4.8, and gap sheet, section 13.
 */
export function toHalfWidthKatakana(text: string): KatakanaConversion {
  let converted = ''
  let position = 0
  while (position < text.length) {
    const character = characterAt(text, position)
    const narrow = narrowForm(character, converted)
    if (narrow === undefined) return refusal(text, position)
    converted += narrow
    position += character.length
  }
  return { ok: true, text: converted }
}

/** Returns the half-width form of a kana, or the character of bank files that is the same sign after a converted text. */
function narrowForm(character: string, before: string): string | undefined {
  if (DASH.test(character)) return ENDS_IN_KANA.test(before) ? LONG_VOWEL : '-'
  const kana = TO_HALF_WIDTH.get(composed(character))
  if (kana !== undefined) return kana
  const code = character.charCodeAt(0)
  const ascii = /^[\uff01-\uff5e]$/.test(character) ? String.fromCharCode(code - FULL_WIDTH_OFFSET) : character
  const sign = /^\p{Zs}$/u.test(ascii) ? ' ' : /^[a-z]$/.test(ascii) ? ascii.toUpperCase() : ascii
  return ASCII.test(sign) ? sign : undefined
}

/** Returns a kana of any width and its combining mark as one full-width kana, if there is one. */
function composed(kana: string): string {
  return kana.replace(/^[\uff66-\uff9d]/, (narrow) => narrow.normalize('NFKC')).normalize('NFC')
}

/** Returns one code point, together with a combining mark that follows if both form one kana. */
function characterAt(text: string, position: number): string {
  const character = String.fromCodePoint(text.codePointAt(position) ?? 0)
  const mark = text.charAt(position + character.length)
  return mark in COMBINING_MARKS && composed(character + mark).length === 1 ? character + mark : character
}

function refusal(text: string, position: number): KatakanaConversion {
  return { ok: false, position, character: String.fromCodePoint(text.codePointAt(position) ?? 0) }
}

function conversionTable(): ReadonlyMap<string, string> {
  const plain = Array.from(FULL_WIDTH, (wide, index) => [wide, String.fromCodePoint(BLOCK_START + index)] as const)
  const katakana = [...plain, ...plain.flatMap(([wide, narrow]) => marked(wide, narrow))]
  const narrow = [...plain.map(([, form]) => form), VOICED_MARK, SEMI_VOICED_MARK]
  return new Map<string, string>([
    ...narrow.map((form) => [form, form] as const),
    ...katakana,
    ...katakana.flatMap(([wide, form]) => hiragana(wide).map((kana) => [kana, form] as const)),
    ['゛', VOICED_MARK],
    ['゜', SEMI_VOICED_MARK],
  ])
}

/** Returns the kana that this one forms with a combining mark, with their half-width forms. */
function marked(wide: string, narrow: string): (readonly [string, string])[] {
  return Object.entries(COMBINING_MARKS)
    .map(([combining, mark]) => [(wide + combining).normalize('NFC'), narrow + mark] as const)
    .filter(([kana]) => kana.length === 1)
}

/** Returns the hiragana of the same sound; empty if there is none. */
function hiragana(wide: string): string[] {
  const kana = String.fromCodePoint((wide.codePointAt(0) ?? 0) - HIRAGANA_TO_KATAKANA)
  return /^[ぁ-ゔ]$/.test(kana) ? [kana] : []
}
