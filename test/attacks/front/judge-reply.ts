import { isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql'
import { schema } from '../gate.ts'

const KEYS: ReadonlySet<string> = new Set(['data', 'errors', 'extensions'])
const ERROR_KEYS: ReadonlySet<string> = new Set(['message', 'locations', 'path', 'extensions'])
/** Longest message in characters: it can quote a part of what the client sent. */
const MOST_MESSAGE = 300
/** Traces of the implementation: stacks, file paths, module names, and suggestions. */
const INSIDES = /\n\s+at |node_modules|file:\/\/|\/src\/|\.[cm]?[jt]s:\d|Did you mean/

/** Names of the schema that cannot be words of an English sentence. */
const NAMES = Object.values(schema.getTypeMap())
  .filter(({ name }) => !name.startsWith('__'))
  .flatMap((type) => {
    const names = [type.name]
    if (isEnumType(type)) names.push(...type.getValues().map(({ name }) => name))
    if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type))
      names.push(...Object.keys(type.getFields()))
    return names
  })
  .filter((name) => /[a-z][A-Z]|[A-Z]_[A-Z]/.test(name))
const ANY_NAME = /\w+/g
const KNOWN: ReadonlySet<string> = new Set(NAMES)

/** Returns what is wrong with the answer to an operation. `told` is everything that the client sent. */
export function judgeReply(reply: unknown, told: string): string[] {
  if (typeof reply !== 'object' || reply === null || Array.isArray(reply)) return ['an answer is no object']
  const strange = Object.keys(reply).filter((key) => !KEYS.has(key))
  if (strange.length > 0) return [`an answer has the keys ${strange.join()}`]
  if ('errors' in reply) return judgeErrors(reply.errors, told)
  return 'data' in reply ? [] : ['an answer has neither data nor errors']
}

/** Returns what is wrong with a list of errors. */
export function judgeErrors(errors: unknown, told: string): string[] {
  if (!Array.isArray(errors) || errors.length === 0) return ['errors are no list']
  return errors.flatMap((error: unknown) => judgeError(error, told))
}

function judgeError(error: unknown, told: string): string[] {
  if (typeof error !== 'object' || error === null) return ['an error is no object']
  const { message, extensions } = error as { message?: unknown; extensions?: { code?: unknown } }
  if (typeof message !== 'string' || message === '') return ['an error has no message']
  const code = extensions?.code
  const found = Object.keys(error).some((key) => !ERROR_KEYS.has(key)) ? ['an error has strange keys'] : []
  if (typeof code !== 'string' || code === 'INTERNAL_SERVER_ERROR') found.push(`an error has the code ${String(code)}`)
  if (message.length > MOST_MESSAGE) found.push(`a message has more than ${MOST_MESSAGE} characters`)
  const [inside] = INSIDES.exec(message) ?? []
  if (inside !== undefined && !isTold(inside, told)) found.push(`a message tells ${JSON.stringify(inside)}`)
  const leaked = message.match(ANY_NAME)?.find((name) => KNOWN.has(name) && !told.includes(name))
  if (leaked !== undefined) found.push(`a message tells the name ${leaked}`)
  return found
}

/** Returns whether the client sent this text: as it is, escaped as in JSON, or in the search of an address. */
function isTold(text: string, told: string): boolean {
  return [text, JSON.stringify(text).slice(1, -1), new URLSearchParams({ text }).toString().slice('text='.length)].some(
    (sent) => told.includes(sent),
  )
}
