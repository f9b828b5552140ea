import { ExactNumber, type ExactJson } from '../../lib/exact-json.ts'
import type { Fields } from '../values/request-fields.ts'

/**
 * Descriptors by name, as the payments API writes them: `<type>:<Mandatory or Optional> <free label>` (gap sheet, section 8).
 */
export type Descriptors = Readonly<Record<string, string>>

/**
 * Adds a problem for each field of the object under `name` that is missing or wrong by these descriptors. Returns the values
 * unchanged.
 */
export function checkParams(fields: Fields, name: string, rules: ParamRules): Record<string, ExactJson> {
  const params = fields.requiredObject(name)
  if (params === undefined) return {}
  for (const [param, descriptor] of Object.entries(rules.descriptors)) {
    const [type = '', requirement = ''] = descriptor.split(/[: ]/)
    const value = params.optional(param)
    if (value === undefined) {
      if (requirement === 'Mandatory') params.required(param)
    } else if (!isOfType(value, type, rules)) params.fail(param, `must be a ${type}`)
    else if (typeof value === 'string') noteText(params, param, value, { requirement, shape: rules.shapes?.[param] })
  }
  return Object.fromEntries(params.names.map((param) => [param, params.optional(param) ?? null]))
}

export type ParamRules = {
  descriptors: Descriptors
  /** Additional patterns for text values. */
  shapes?: Readonly<Record<string, RegExp>>
  /** Accepts a number where a text is required. */
  takesNumbers?: boolean
}

function isOfType(value: ExactJson, type: string, { takesNumbers = false }: ParamRules): boolean {
  if (type === 'boolean') return typeof value === 'boolean'
  return typeof value === 'string' || (takesNumbers && value instanceof ExactNumber)
}

type TextRule = { requirement: string; shape: RegExp | undefined }

function noteText(params: Fields, param: string, text: string, { requirement, shape }: TextRule): void {
  if (requirement === 'Mandatory') params.text(param)
  if (shape !== undefined && !shape.test(text)) params.fail(param, 'is invalid')
}
