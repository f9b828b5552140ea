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

/** What a client that does not know the schema gets wrong: texts of a document, and what it has in their place. */
const MISTAKES: readonly [what: RegExp, by: (text: string, random: Random) => string][] = [
  [/\w+/g, guess],
  [/\w+/g, guess],
  [/(?<=\w+: )(?:\w+|"\w*"|\$\w+)/g, (_, random) => oneOf(random, VALUES)],
  [/\w+: (?:\w+|"\w*"|\$\w+),?/g, () => ''],
  [/\w+(?=\s*\})/g, (name) => `${name} { id }`],
  [/\{[^{}]*\}/g, () => ''],
]

/** Returns an operation with one or two mistakes, in its text or in its variables. */
export function misspelt({ query, variables }: RandomOperation, random: Random): RandomOperation {
  const told = JSON.stringify(variables).replace(/(?<=")\w+(?=")/g, (word) =>
    random() < 0.1 ? guess(word, random) : word,
  )
  const once = withMistake(query, random)
  return {
    query: random() < 0.3 ? withMistake(once, random) : once,
    variables: JSON.parse(told) as Record<string, unknown>,
  }
}

function withMistake(query: string, random: Random): string {
  const [what, by] = oneOf(random, MISTAKES)
  const places = [...query.matchAll(what)]
  if (places.length === 0) return query
  const { 0: text, index } = oneOf(random, places)
  return `${query.slice(0, index)}${by(text, random)}${query.slice(index + text.length)}`
}

function guess(name: string, random: Random): string {
  return oneOf(random, GUESSES)(name)
}
