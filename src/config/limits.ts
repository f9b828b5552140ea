import type { SettingReader } from './read-setting.ts'
import { wholeNumber } from './values.ts'

/** How much an operation may ask for, over every transport alike. */
export type OperationLimits = {
  /** Tokens of the parser: more are not read. */
  readonly tokens: number
  /** Fields inside each other. */
  readonly depth: number
  /** Aliases, and fields that are asked for twice in one place. */
  readonly aliases: number
  readonly rootFields: number
  readonly directives: number
  /** By the schema's own `@cost` and `@listSize`. */
  readonly cost: number
  /** Items of one page. */
  readonly page: number
  /** Representations of `_entities`. */
  readonly entities: number
  /** Bytes of the variables, as JSON. */
  readonly variableBytes: number
  /** Bytes of a request's body over HTTP. */
  readonly bodyBytes: number
  /** How long the answer to a query or a mutation may take, in milliseconds. Streams have no such end. */
  readonly timeoutMs: number
}

/** Recursion in the parser and in what walks its trees needs about four frames for each token. */
const MOST_TOKENS = 2_000

/** The limits of operations, each a setting with a default. */
export function readLimits(reading: SettingReader): OperationLimits {
  const limit = (setting: string, otherwise: number, most = 1_000_000) =>
    reading.read(setting, wholeNumber(1, most), otherwise)
  return {
    tokens: limit('GRAPHQL_MAX_TOKENS', 1_000, MOST_TOKENS),
    depth: limit('GRAPHQL_MAX_DEPTH', 10),
    aliases: limit('GRAPHQL_MAX_ALIASES', 15),
    rootFields: limit('GRAPHQL_MAX_ROOT_FIELDS', 10),
    directives: limit('GRAPHQL_MAX_DIRECTIVES', 10),
    cost: limit('GRAPHQL_MAX_COST', 1_000),
    page: limit('GRAPHQL_MAX_PAGE', 100, 100),
    entities: limit('GRAPHQL_MAX_ENTITIES', 100),
    variableBytes: limit('GRAPHQL_MAX_VARIABLES_BYTES', 50 * 1024, 10 * 1024 * 1024),
    bodyBytes: limit('GRAPHQL_MAX_BODY_BYTES', 100 * 1024, 10 * 1024 * 1024),
    timeoutMs: limit('GRAPHQL_TIMEOUT_MS', 10_000, 600_000),
  }
}
