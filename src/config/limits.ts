import { type SettingReader, wholeNumber } from './read-setting.ts'

/** Limits of one operation, the same over every transport. */
export type OperationLimits = {
  /** Tokens in a document; the parser stops beyond them. */
  readonly tokens: number
  /** Depth of nested fields. */
  readonly depth: number
  /** Aliases, and fields selected more than once in one place. */
  readonly aliases: number
  readonly rootFields: number
  readonly directives: number
  /** Cost by the schema's own `@cost` and `@listSize`. */
  readonly cost: number
  /** Items per page. */
  readonly page: number
  /** Representations in `_entities`. */
  readonly entities: number
  /** Bytes of the variables, as JSON. */
  readonly variableBytes: number
  /** Bytes of an HTTP request body. */
  readonly bodyBytes: number
  /** The limits that differ for `_entities` of a router with its secret. */
  readonly router: RouterOperationLimits
  /** Timeout of a query or mutation in milliseconds. Streams have none. */
  readonly timeoutMs: number
}

export type RouterOperationLimits = {
  /** Representations in `_entities`. */
  readonly entities: number
  /** Cost of `_entities`. The other fields of an operation have `cost`, because a router also forwards what clients write. */
  readonly cost: number
  /** Bytes of an HTTP request body, and of the variables as JSON. */
  readonly bytes: number
}

/** The recursion of the parser and of tree walks needs about four stack frames per token. */
const MOST_TOKENS = 2_000

/** Reads the limits of operations; each setting has a default. */
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
    router: {
      entities: limit('GRAPHQL_ROUTER_MAX_ENTITIES', 1_000, 10_000),
      cost: limit('GRAPHQL_ROUTER_MAX_COST', 20_000),
      bytes: limit('GRAPHQL_ROUTER_MAX_BYTES', 1024 * 1024, 10 * 1024 * 1024),
    },
    timeoutMs: limit('GRAPHQL_TIMEOUT_MS', 10_000, 600_000),
  }
}
