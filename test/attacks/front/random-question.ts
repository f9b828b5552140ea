import type { Random } from '../../faults/random.ts'
import { schema } from '../gate.ts'
import { misspelt } from '../misspell.ts'
import { FRAGMENT_SHAPES } from '../random-fragments.ts'
import { fragmentedQuery, oneOf, randomOperation, type RandomOperation } from '../random-operation.ts'
import { longText } from '../random-text.ts'
import { anyValue, besideTheType } from '../random-value.ts'
import { textPlaces } from '../string-arguments.ts'

/** An operation as a client sends it. */
export type Question = RandomOperation & { readonly operationName?: unknown }

type Ask = (random: Random) => Question

/** Approximate upper bound of the variables in characters; the text of an operation may be much longer. */
const MOST_CHARACTERS = 49_000
const JUNK: readonly string[] = '{ } ( ) [ ] ... $ @ ! : " """ \\ \u0000 \uFEFF \uD800 # & | 1e999 - ٣'.split(' ')
const PLACES = textPlaces()
const SPREADS = 0.15

const QUESTIONS: readonly Ask[] = [
  plain,
  plain,
  (random) => misspelt(plain(random), random),
  withJunk,
  (random) => fragmentedQuery(schema, random, { shape: oneOf(random, FRAGMENT_SHAPES) }),
  longArgument,
  wrongVariables,
  wrongVariables,
  longLiteral,
  severalOperations,
  manyNames,
]

/** Returns any operation: correct, misspelt, broken, or costly. */
export function randomQuestion(random: Random): Question {
  return oneOf(random, QUESTIONS)(random)
}

function plain(random: Random): Question {
  return randomOperation(schema, random, SPREADS)
}

/** Returns an operation with a long text in one of the places. */
function longArgument(random: Random): Question {
  const place = oneOf(random, PLACES)
  const text = longText(random, MOST_CHARACTERS / (random() < 0.7 ? 1 : 1 + random() * 20))
  return { query: place.document, variables: place.variables(text) }
}

function wrongVariables(random: Random): Question {
  const { query, variables } = randomOperation(schema, random)
  return { query, variables: besideTheType(variables, random) }
}

/** Returns an operation with a long text in the document itself: as a literal, a name, a comment, or a directive. */
function longLiteral(random: Random): Question {
  const text = longText(random, random() * MOST_CHARACTERS)
  const { query, variables } = plain(random)
  const written = oneOf(random, [
    `{ payment(id: ${JSON.stringify(text)}) { id } }`,
    `{ payments(first: ${JSON.stringify(text)}) { nodes { id } } }`,
    `{ payment(id: """${text}""") { id } }`,
    `{ ${text} }`,
    `${query} @${text}`,
    `# ${text}\n${query}`,
    `query ($a: ${text}) { __typename }`,
    `{ payment(id: ${'[{a:'.repeat(Math.floor(random() * 300))}1) { id } }`,
    `{ payinMethod(code: ${'9'.repeat(Math.floor(random() * 40_000))}) { code } }`,
  ])
  return { query: written, variables }
}

function withJunk(random: Random): Question {
  const { query, variables } = plain(random)
  const at = Math.floor(random() * query.length)
  const rest = query.slice(at + Math.floor(random() * 3))
  return { query: `${query.slice(0, at)}${oneOf(random, JUNK)}${rest}`, variables }
}

function severalOperations(random: Random): Question {
  const count = 1 + Math.floor(random() * 40)
  const each = Array.from({ length: count }, (_, index) => `query Q${index} { __typename }`).join('\n')
  const operationName = oneOf(random, [
    undefined,
    null,
    'Q0',
    'Q1',
    `Q${count}`,
    '',
    'constructor',
    7,
    anyValue(random),
  ])
  return { query: `${plain(random).query}\n${each}`, variables: {}, operationName }
}

/** Returns an operation with many short names, which must all be kept apart. */
function manyNames(random: Random): Question {
  const count = 1 + Math.floor(random() * 400)
  const many = (part: (index: number) => string) => Array.from({ length: count }, (_, index) => part(index)).join(' ')
  const query = oneOf(random, [
    `{ ${many((index) => `a${index}: __typename`)} }`,
    `{ ${many(() => '__typename')} }`,
    `{ paymentCurrencies { ${many(() => 'code')} } }`,
    `{ paymentCurrencies { code ${many((index) => `@a${index}`)} } }`,
    `{ ${many((index) => `...F${index}`)} } ${many((index) => `fragment F${index} on Query { __typename }`)}`,
    `query (${many((index) => `$a${index}: Int`)}) { __typename }`,
    `{ ${many(() => '... {')} __typename ${many(() => '}')} }`,
    `{ ${many((index) => `unknown${index}`)} }`,
  ])
  return { query, variables: Object.fromEntries([['a0', anyValue(random)]]) }
}
