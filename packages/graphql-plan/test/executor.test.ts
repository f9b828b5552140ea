import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import {
  buildSchema,
  GraphQLError,
  isEnumType,
  isInterfaceType,
  isObjectType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { createLibraryExecutor, createPlannedExecutor } from '../src/index.ts'
import { executable, result } from './both-executors.ts'
import { operationOf } from './random-operations.ts'

const SDL = `
  interface Node { id: ID!, title(upper: Boolean = false, suffix: String): String, next: Node, peers: [Node!] }
  type Cat implements Node { id: ID!, title(upper: Boolean = false, suffix: String): String, next: Node, peers: [Node!], lives: Int!, mood: Mood }
  type Dog implements Node { id: ID!, title(upper: Boolean = false, suffix: String): String, next: Node, peers: [Node!], tricks: [String!]!, owner: Cat! }
  union Animal = Cat | Dog
  enum Mood { CALM, ANGRY }
  scalar Any
  type Query {
    cat: Cat, dog: Dog!, animal: Animal, node(id: ID): Node, animals(first: Int! = 2): [Animal]!, strict: [Animal!]!, grid: [[Int!]]
    weight: Float, isOpen: Boolean!, any: Any, words: [String]
  }
  type Mutation { one(value: Int): Int, two: Cat!, three: Cat }
  type Subscription { cat: Cat }
`

/** Returns a number from 0 to 99 that depends only on the seed and the place, so that resolvers behave equally in both executors. */
function behaviour(seed: string, place: string): number {
  return createHash('sha256').update(`${seed} ${place}`).digest().readUInt16BE(0) % 100
}

type Source = { readonly place: string; readonly kind: 'Cat' | 'Dog' }

function schemaFor(seed: string): GraphQLSchema {
  const schema = buildSchema(SDL)
  const mood = schema.getType('Mood')
  // Internal values differ from the names in the schema.
  if (isEnumType(mood)) for (const value of mood.getValues()) value.value = value.name.toLowerCase()
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue
    if (isInterfaceType(type) || type.name === 'Animal')
      Object.assign(type, { resolveType: (source: Source) => runtimeType(seed, source) })
    if (isObjectType(type)) addResolvers(type, seed)
  }
  return schema
}

function runtimeType(seed: string, { place, kind }: Source): string | Promise<string> {
  const outcome = behaviour(seed, `${place} type`)
  if (outcome < 3) return 'Nobody'
  return outcome < 30 ? Promise.resolve(kind) : kind
}

function addResolvers(type: GraphQLObjectType, seed: string): void {
  for (const field of Object.values(type.getFields())) {
    // Some fields have no resolver and are properties of the source.
    if (field.name === 'id') continue
    field.resolve = (source: Source | undefined, args: object) => {
      const place = `${source?.place ?? ''}.${field.name}${JSON.stringify(args)}`
      return outcomeOf(seed, { place, type: String(field.type), args })
    }
  }
}

type Asked = { readonly place: string; readonly type: string; readonly args: object }

function outcomeOf(seed: string, asked: Asked): unknown {
  const outcome = behaviour(seed, asked.place)
  if (outcome < 6) throw new Error(`thrown at ${asked.place}`)
  if (outcome < 9) throw new GraphQLError(`refused at ${asked.place}`, { extensions: { code: 'FORBIDDEN' } })
  if (outcome < 14) return null
  if (outcome < 16) return undefined
  if (outcome < 18) return new Error(`returned at ${asked.place}`)
  const value = valueOf(seed, asked)
  if (outcome < 40) return Promise.resolve(value)
  if (outcome < 46) return Promise.reject(new Error(`rejected at ${asked.place}`))
  return outcome < 50 ? later(value) : value
}

async function later(value: unknown): Promise<unknown> {
  await Promise.resolve()
  await Promise.resolve()
  return value
}

function valueOf(seed: string, { place, type, args }: Asked): unknown {
  const bare = type.replaceAll('!', '')
  const dice = behaviour(seed, `${place} value`)
  if (bare.startsWith('[')) {
    if (dice < 5) return 'not a list'
    // In graphql-js, the promises of items have no handler if a later item throws synchronously.
    const isLater = type.includes('!]') && (dice % 2 === 0 || /Node|Animal/.test(type))
    return Array.from({ length: dice % 4 }, (_, index) => {
      const item = itemOf(
        seed,
        { place: `${place}/${index}`, type: bare.slice(1, -1), args },
        !type.includes('!]') || isLater,
      )
      return isLater && !(item instanceof Promise) ? Promise.resolve(item) : item
    })
  }
  if (bare === 'Int') return dice < 10 ? 'no number' : dice
  if (bare === 'Float') return dice / 8
  if (bare === 'Boolean') return dice % 2 === 0
  if (bare === 'Mood') return dice < 10 ? 'bored' : dice < 50 ? 'calm' : 'angry'
  if (bare === 'Any') return { nested: [dice, 'text', null], [`key "${dice}"`]: new Date(0) }
  if (bare === 'String') return `${JSON.stringify(args)} "\\\n\u2028 \ud83d\ude00 \ud800 ${dice}`
  const kind = bare === 'Dog' || (bare !== 'Cat' && dice % 2 === 0) ? 'Dog' : 'Cat'
  return { place, kind, id: dice < 8 ? null : () => `${kind} ${dice}` }
}

function itemOf(seed: string, asked: Asked, mayBeLater: boolean): unknown {
  const outcome = behaviour(seed, `${asked.place} item`)
  if (outcome < 6) return null
  if (outcome < 9) return new Error(`item at ${asked.place}`)
  if (mayBeLater && outcome < 14) return rejection(`rejected item at ${asked.place}`)
  const value = valueOf(seed, asked)
  return mayBeLater && outcome < 30 ? Promise.resolve(value) : value
}

/** Returns a rejected promise that is not reported as unhandled, because the list that contains it may be used later. */
function rejection(message: string): Promise<never> {
  const rejected = Promise.reject(new Error(message))
  rejected.catch(() => {})
  return rejected
}

describe('the planned executor', () => {
  it('gives what graphql-js gives: data, errors, their places and their paths', async () => {
    const schemas = new Map<string, GraphQLSchema>()
    let compared = 0
    let withErrors = 0
    await fc.assert(
      fc.asyncProperty(
        fc.nat(40).map(String),
        operationOf,
        fc.boolean(),
        fc.option(fc.string()),
        async (of, text, no, word) => {
          const schema = schemas.get(of) ?? schemaFor(of)
          schemas.set(of, schema)
          const operation = executable(schema, text, { no, text: word })
          if (operation === null) return
          const planned = createPlannedExecutor(schema)
          const expected = await result(createLibraryExecutor(schema), operation)
          expect({ text, ...(await result(planned, operation)) }).toEqual({ text, ...expected })
          // The second execution uses the plan of the first one.
          expect({ text, ...(await result(planned, operation)) }).toEqual({ text, ...expected })
          compared += 1
          if (expected.errors.length > 0) withErrors += 1
        },
      ),
      { numRuns: 600 },
    )
    expect(compared).toBeGreaterThan(200)
    expect(withErrors).toBeGreaterThan(60)
  })
})
