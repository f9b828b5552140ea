import { Kind, parse, print, visit, type ASTNode } from 'graphql'
import type { Random } from '../faults/random.ts'
import { oneOf, type RandomOperation } from './random-operation.ts'

/** Turns a name into one that a guessing client could send. */
const GUESSES: readonly ((name: string) => string)[] = [
  (name) => `${name}s`,
  (name) => name.slice(0, -1),
  (name) => name.slice(1),
  (name) => name.slice(0, 3),
  (name) => name.toLowerCase(),
  (name) => name.toUpperCase(),
  (name) => `${name.slice(0, 2)}x${name.slice(2)}`,
  (name) => name.split('').toReversed().join(''),
  () => 'secret',
  () => '_',
]

const VALUES = ['17', '"x"', 'true', 'null', '[]', '{}', '{x: 1}', '[{x: [Y]}]', 'ENUM', '"""\nblock\n"""', '$missing']

type Change = (operation: RandomOperation, random: Random) => RandomOperation

const CHANGES: readonly Change[] = [
  guessName,
  guessName,
  guessName,
  dropArgument,
  replaceValue,
  reshape,
  guessInVariables,
]

/** Returns an operation with one or two mistakes of a client that does not know the schema. */
export function misspelt(operation: RandomOperation, random: Random): RandomOperation {
  const once = oneOf(random, CHANGES)(operation, random)
  return random() < 0.3 ? oneOf(random, CHANGES)(once, random) : once
}

function guessName(operation: RandomOperation, random: Random): RandomOperation {
  return changeOne(operation, random, {
    matches: (node) => node.kind === Kind.NAME || node.kind === Kind.ENUM,
    change: (node) =>
      'value' in node && typeof node.value === 'string'
        ? { ...node, value: legal(oneOf(random, GUESSES)(node.value)) }
        : node,
  })
}

function dropArgument(operation: RandomOperation, random: Random): RandomOperation {
  return changeOne(operation, random, {
    matches: (node) => node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD,
    change: () => null,
  })
}

function replaceValue(operation: RandomOperation, random: Random): RandomOperation {
  const value = oneOf(random, VALUES)
  return changeOne(operation, random, {
    matches: (node) => node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD,
    change: (node) => ('name' in node && node.name?.kind === Kind.NAME ? raw(`${node.name.value}: ${value}`) : node),
  })
}

/** Selects fields of a leaf, or no fields of an object. */
function reshape(operation: RandomOperation, random: Random): RandomOperation {
  return changeOne(operation, random, {
    matches: (node) => node.kind === Kind.FIELD,
    change: (node) =>
      node.kind !== Kind.FIELD
        ? node
        : raw(node.selectionSet === undefined ? `${print(node)} { id }` : node.name.value),
  })
}

function guessInVariables({ query, variables }: RandomOperation, random: Random): RandomOperation {
  const text = JSON.stringify(variables)
  const changed = text.replace(/"(\w+)"/g, (whole, word: string) =>
    random() < 0.3 ? JSON.stringify(oneOf(random, GUESSES)(word)) : whole,
  )
  return { query, variables: JSON.parse(changed) as Record<string, unknown> }
}

type OneChange = { readonly matches: (node: ASTNode) => boolean; readonly change: (node: ASTNode) => unknown }

/** Changes one of the matching nodes; the result need not be valid GraphQL. */
function changeOne(
  { query, variables }: RandomOperation,
  random: Random,
  { matches, change }: OneChange,
): RandomOperation {
  const places: ASTNode[] = []
  const document = parseOrNull(query)
  if (document === null) return { query, variables }
  visit(document, { enter: (node) => void (matches(node) && places.push(node)) })
  if (places.length === 0) return { query, variables }
  const place = oneOf(random, places)
  return { query: print(visit(document, { enter: (node) => (node === place ? change(node) : undefined) })), variables }
}

/** Returns a node that is printed as this text: a name node with the text as its value. */
function raw(text: string): unknown {
  return { kind: Kind.NAME, value: text }
}

function parseOrNull(query: string) {
  try {
    return parse(query)
  } catch {
    return null
  }
}

function legal(name: string): string {
  return /^[A-Za-z_]/.test(name) ? name : `x${name}`
}
