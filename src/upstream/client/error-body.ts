import { type ExactJson, ExactNumber, parseExactJson } from '../../lib/exact-json.ts'
import { isRecord, textFrom } from '../wire/values/wire-fields.ts'

export type ErrorBody = {
  readonly code: string | null
  readonly message: string | null
  readonly fields: readonly { readonly path: string; readonly message: string }[]
}

const NOTHING: ErrorBody = { code: null, message: null, fields: [] }

const CODE_LENGTH = 100
const MESSAGE_LENGTH = 500
const PATH_LENGTH = 200
const MOST_FIELDS = 50
const DEEPEST_FIELD = 4

/**
 * Reads an error body: `errors` as a map from any key to a text or a list of texts, `errors.code` and `errors.message`, or
 * `error`, `message` and `code` at the top level. An empty or non-JSON body gives an empty result. Source: gap sheet, section 1.
 */
export function readErrorBody(body: string | null): ErrorBody {
  const json = parsed(body)
  if (!isRecord(json)) return NOTHING
  const { code, message, ...map } = inner(json['errors'])
  const single = inner(json['error'])
  return {
    code: label(code) ?? label(single['code']) ?? label(json['code']),
    message: sentenceIn(message) ?? sentenceIn(single['message']) ?? sentenceIn(json['message']),
    fields: fieldsOf(map).slice(0, MOST_FIELDS),
  }
}

function parsed(body: string | null): ExactJson {
  try {
    return body === null || body === '' ? null : parseExactJson(body)
  } catch {
    return null
  }
}

/** A plain text or a list in place of the map is read as the message. */
function inner(json: ExactJson | undefined): Record<string, ExactJson> {
  if (isRecord(json)) return json
  return json === undefined || json === null ? {} : { message: json }
}

function label(json: ExactJson | undefined): string | null {
  return textFrom(json instanceof ExactNumber ? json.text : json, CODE_LENGTH)
}

function sentenceIn(json: ExactJson | undefined): string | null {
  if (!Array.isArray(json)) return textFrom(json, MESSAGE_LENGTH)
  const sentences = json.flatMap((entry) => sentenceIn(isRecord(entry) ? entry['message'] : entry) ?? [])
  return textFrom(sentences.join('; '), MESSAGE_LENGTH)
}

function fieldsOf(map: Record<string, ExactJson>, prefix = '', depth = 1): ErrorBody['fields'] {
  return Object.entries(map)
    .slice(0, MOST_FIELDS)
    .flatMap(([key, value]) => {
      const path = textFrom(`${prefix}${key}`, PATH_LENGTH) ?? ''
      if (isRecord(value)) return depth < DEEPEST_FIELD ? fieldsOf(value, `${path}.`, depth + 1) : []
      return (Array.isArray(value) ? value : [value]).flatMap((entry) => {
        const message = textFrom(entry, MESSAGE_LENGTH)
        return message === null ? [] : { path, message }
      })
    })
}
