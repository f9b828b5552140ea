import {
  getDirectiveValues,
  getNamedType,
  isAbstractType,
  isObjectType,
  isOutputType,
  OperationTypeNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { foldSelections } from '../admission/measure-document.ts'
import type { Answer } from './request-outcome.ts'

/** Returns for how many seconds an operation's answer may be shared between callers; null if it is private to the caller. */
type CachePolicy = (document: DocumentNode, operation: OperationDefinitionNode) => number | null

/**
 * Creates the policy from `@cacheControl` in the schema, evaluated once per operation of a document. A hint on a root field, or on the type of
 * an entity, applies to everything below it, down to a field with its own hint. An answer is public only if every root field has the scope PUBLIC, and
 * no field in it is PRIVATE or depends on the caller's rights.
 */
export function createCachePolicy(schema: GraphQLSchema): CachePolicy {
  const known = new WeakMap<OperationDefinitionNode, number | null>()
  const hintOf = createHintReader(schema)
  return (document, operation) => {
    const found = known.get(operation)
    if (found !== undefined) return found
    const seconds = documentPolicy(document, schema, hintOf)(operation)
    known.set(operation, seconds)
    return seconds
  }
}

type Hint = { readonly maxAge: number | null; readonly scope: 'PUBLIC' | 'PRIVATE' | null }

type HintOf = (type: GraphQLNamedType, field: GraphQLField<unknown, unknown>) => Hint

/** The parent type of a selection. `isRoot` is true for a root type and for entities, to which no hint applies from above. */
type Scope = { readonly parent: GraphQLNamedType; readonly isRoot: boolean }

/** Seconds for which a part of an answer is valid: 0 if it is private, `Infinity` without a hint below the root. */
type Seconds = number

const PRIVATE: Seconds = 0
/** The root field by which a router reads entities. */
const ENTITIES = '_entities'

/** Returns the function that computes the policies of the operations of one document. */
function documentPolicy(document: DocumentNode, schema: GraphQLSchema, hintOf: HintOf) {
  const ownSeconds = createFieldReader(schema, hintOf)
  const { walk } = foldSelections<Scope, Seconds>(document, {
    field: (node, scope, below) => {
      const own = ownSeconds(node.name.value, scope)
      const parent =
        own === PRIVATE || node.selectionSet === undefined ? undefined : typeBelow(scope.parent, node, schema)
      return parent === undefined ? own : Math.min(own, below({ parent, isRoot: node.name.value === ENTITIES }))
    },
    combine: (parts) => parts.reduce((least, seconds) => Math.min(least, seconds), Infinity),
    enter: ({ typeCondition }, scope) =>
      typeCondition === undefined
        ? scope
        : { ...scope, parent: schema.getType(typeCondition.name.value) ?? scope.parent },
    keyOf: ({ isRoot }) => String(isRoot),
    annotate: (seconds) => seconds,
    cycle: Infinity,
  })
  return ({ operation, selectionSet }: OperationDefinitionNode): number | null => {
    const parent = operation === OperationTypeNode.QUERY ? schema.getQueryType() : null
    const seconds = parent === null || parent === undefined ? PRIVATE : walk(selectionSet, { parent, isRoot: true })
    return seconds > 0 && Number.isFinite(seconds) ? seconds : null
  }
}

function createFieldReader(schema: GraphQLSchema, hintOf: HintOf): (name: string, scope: Scope) => Seconds {
  const secondsIn = (type: GraphQLObjectType, name: string, isRoot: boolean): Seconds => {
    const definition = type.getFields()[name]
    const hint = definition === undefined ? null : hintOf(type, definition)
    if (hint === null || hint.scope === 'PRIVATE') return PRIVATE
    if (isRoot && (hint.scope !== 'PUBLIC' || hint.maxAge === null)) return PRIVATE
    return hint.maxAge ?? Infinity
  }
  return (name, { parent, isRoot }) => {
    // Whether an entity is there may depend on the caller.
    if (name === '__typename') return isRoot && isAbstractType(parent) ? PRIVATE : Infinity
    if (isRoot && name === ENTITIES) return Infinity
    // An abstract type may resolve to any of its concrete types.
    return Math.min(...concrete(parent, schema).map((type) => secondsIn(type, name, isRoot)))
  }
}

function typeBelow(parent: GraphQLNamedType, field: FieldNode, schema: GraphQLSchema): GraphQLNamedType | undefined {
  if (!('getFields' in parent)) return undefined
  const type = parent.getFields()[field.name.value]?.type
  return isOutputType(type) ? schema.getType(getNamedType(type).name) : undefined
}

function concrete(type: GraphQLNamedType, schema: GraphQLSchema): readonly GraphQLObjectType[] {
  if (isAbstractType(type)) return schema.getPossibleTypes(type)
  return isObjectType(type) ? [type] : []
}

/** The authorization directives, also under the names that the federation library gives to directives that are not imported. */
const RIGHTS = /^(?:\w+__)?(?:requiresScopes|authenticated|policy)$/

function createHintReader(schema: GraphQLSchema): HintOf {
  const directive = schema.getDirective('cacheControl')
  if (directive === null || directive === undefined) return () => ({ maxAge: null, scope: 'PRIVATE' })
  return (type, field) => {
    const nodes = [field, type, getNamedType(field.type)].flatMap(({ astNode }) => astNode ?? [])
    if (nodes.some(({ directives }) => directives?.some(({ name }) => RIGHTS.test(name.value)) === true))
      return { maxAge: null, scope: 'PRIVATE' }
    const hints = nodes.map((node) => getDirectiveValues(directive, node) as Partial<Hint> | undefined)
    return {
      maxAge: hints.find((hint) => typeof hint?.maxAge === 'number')?.maxAge ?? null,
      scope: hints.find((hint) => hint?.scope != null)?.scope ?? null,
    }
  }
}

/** Cache of answers that are equal for all callers, by the text of the request. */
export type PublicAnswers = {
  /** Returns the answer to an equal request within the last second; null if there is none, or if a list has changed since then. */
  find(text: string): Answer | null
  /** Returns the version of the lists from which answers are created. */
  version(): number
  /**
   * Keeps an answer that was created when the lists had this version or a later one. Only answers to repeated requests are kept,
   * because answers to unique requests would fill the memory. Returns whether it is kept.
   */
  keep(text: string, answer: Answer, version: number): boolean
}

/** Time to live in milliseconds. All other data in public answers changes as rarely as the lists. */
const TTL_MS = 1_000
const MAX_ANSWERS = 500
/** Maximum characters of all requests with their answers, and of one request with its answer. */
const MAX_CHARACTERS = 8_000_000
const MAX_CHARACTERS_EACH = 500_000

/** Maximum characters of a request. For a longer one neither the request nor its answer is kept. */
const MAX_TEXT = 8_000
/** Number of recent requests of which a hash is kept, to detect repeated ones; a power of two. */
const RECENT_TEXTS = 16_384

/** Creates an empty cache. `version` returns the current version of the lists. */
export function createPublicAnswers(version: () => number): PublicAnswers {
  const kept = new LRUCache<string, { readonly answer: Answer; readonly version: number; readonly at: number }>({
    max: MAX_ANSWERS,
    maxSize: MAX_CHARACTERS,
    maxEntrySize: MAX_CHARACTERS_EACH,
    sizeCalculation: ({ answer }, text) => answer.json.length + text.length,
  })
  // Hashes, because texts that outlive their request cost the garbage collector more than all else here.
  const recent = new Uint32Array(RECENT_TEXTS)
  const isRecent = (hash: number) => recent[hash % RECENT_TEXTS] === hash
  // Mostly the same text is looked for and kept, one after the other.
  let last = { text: '', hash: hashOf('') }
  const hashed = (text: string) => (last = last.text === text ? last : { text, hash: hashOf(text) }).hash
  return {
    find(text) {
      const found = text.length <= MAX_TEXT && isRecent(hashed(text)) ? kept.get(text) : undefined
      if (found === undefined || performance.now() - found.at > TTL_MS || found.version !== version()) return null
      return found.answer
    },
    version,
    keep(text, answer, made) {
      if (text.length > MAX_TEXT) return false
      const hash = hashed(text)
      const isRepeated = isRecent(hash)
      if (isRepeated) kept.set(text, { answer, version: made, at: performance.now() })
      else recent[hash % RECENT_TEXTS] = hash
      return isRepeated
    },
  }
}

const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** Returns the 32-bit FNV-1a hash of the code units of a text (https://www.rfc-editor.org/rfc/rfc9923). */
function hashOf(text: string): number {
  let hash = FNV_OFFSET
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME)
  return hash >>> 0
}

/** Tracks whether all parts of one answer are current. Caches between this server and the client must not keep a stale answer. */
export type AnswerFreshness = {
  /** Must be called by code that reads a part that is older than its time to live, unavailable, or null because of a failed read. */
  readonly markStale: () => void
  readonly isStale: () => boolean
}

/** Creates the tracker of one answer: current until a part is reported stale. */
export function createAnswerFreshness(): AnswerFreshness {
  let stale = false
  return {
    markStale: () => {
      stale = true
    },
    isStale: () => stale,
  }
}
