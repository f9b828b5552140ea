import type { MethodFlags } from './method-traits.ts'

/** One field that the merchant collects for a method. */
export type MethodField = {
  readonly name: string
  /** In lower case, as the payments API names it, e.g. `string`. */
  readonly type: string
  readonly required: boolean
  readonly label: string | null
  /** The descriptor as it came. */
  readonly raw: string
}

/** What a method asks for and allows. Amounts are plain digits; what the payments API does not say is null. */
export type MethodRequirements = MethodFlags & {
  readonly code: string
  readonly currency: string
  readonly description: string | null
  readonly minAmount: string | null
  readonly maxAmount: string | null
  readonly fields: readonly MethodField[]
}

const REQUIREMENTS: ReadonlyMap<string, boolean> = new Map([
  ['mandatory', true],
  ['required', true],
  ['optional', false],
])

/**
 * Reads a field descriptor, `<type>:<Mandatory or Optional> <free label>`, in any case (gap sheet, section 8). A field
 * whose requirement is not told is taken as optional, because the payments API itself refuses what lacks a mandatory one; its
 * whole text after the type is the label then.
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
