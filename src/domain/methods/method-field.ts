import type { MethodFlags } from './method-traits.ts'

/** One field that the merchant collects for a method. */
export type MethodField = {
  readonly name: string
  /** In lower case, as spelled by the payments API, e.g. `string`. */
  readonly type: string
  readonly required: boolean
  readonly label: string | null
  /** The descriptor as received. */
  readonly raw: string
}

/** The required fields and limits of a method. Amounts are plain digits; values that the payments API does not report are null. */
export type MethodRequirements = MethodFlags & {
  readonly code: string
  readonly currency: string
  readonly description: string | null
  readonly minAmount: string | null
  readonly maxAmount: string | null
  readonly networks: readonly string[] | null
  readonly symbol: string | null
  readonly logo: string | null
  readonly fields: readonly MethodField[]
}

const REQUIREMENTS: ReadonlyMap<string, boolean> = new Map([
  ['mandatory', true],
  ['required', true],
  ['optional', false],
])

/**
 * Parses a field descriptor, `<type>:<Mandatory or Optional> <free label>`, in upper or lower case (gap sheet, section 8). A field without
 * this word is optional, because the payments API itself rejects a request without a mandatory field; the label is then the whole text
 * after the type.
 */
export function parseFieldDescriptor(name: string, text: string): MethodField {
  const colon = text.indexOf(':')
  const type = (colon === -1 ? text : text.slice(0, colon)).trim().toLowerCase()
  const rest = colon === -1 ? '' : text.slice(colon + 1).trim()
  const word = /^\p{L}*/u.exec(rest)?.[0] ?? ''
  const required = REQUIREMENTS.get(word.toLowerCase())
  const label = required === undefined ? rest : rest.slice(word.length).replace(/^[\s,;:.-]+/, '')
  return { name, type, required: required ?? false, label: label === '' ? null : label, raw: text }
}
