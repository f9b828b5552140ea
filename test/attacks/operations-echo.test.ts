import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PRODUCTION, startNetwork, type Network } from '../support/network.ts'
import { TRANSPORTS, type Sent } from '../support/transports.ts'

/** How many characters of a request an error may repeat. */
const MOST = 200
const LONG = 20_000
const name = 'q'.repeat(LONG)
const text = 'é'.repeat(LONG)
const PHASES = 'query ($f: PaymentsFilter) { payments(filter: $f) { nodes { id } } }'
const PAGE = 'query ($n: Int!) { payments(first: $n) { nodes { id } } }'
const LINK = `mutation ($input: CreatePaymentLinkInput!) { createPaymentLink(input: $input) {
  ... on PaymentsInvalidInputError { problems { path message } } ... on PaymentsError { message } } }`
const input = { idempotencyKey: 'a', reference: 'a', amount: { value: '1.00', currency: 'AUD' } }

/** Requests that are answered with errors, each with something very long in it. */
const MISTAKES: readonly [string, Sent][] = [
  ['a field that is not there', { query: `{ ${name} }` }],
  ['a field almost of a known name', { query: `{ payments { nodes { id${name} } } }` }],
  ['an argument that is not there', { query: `{ payments(${name}: 1) { nodes { id } } }` }],
  ['a type that is not there', { query: `{ ... on ${name} { id } }` }],
  ['a directive that is not there', { query: `{ __typename @${name} }` }],
  ['a fragment that is not there', { query: `{ ...${name} }` }],
  ['a fragment that is not used', { query: `{ __typename } fragment ${name} on Query { __typename }` }],
  ['a fragment within itself', { query: `{ ...${name} } fragment ${name} on Query { ...${name} }` }],
  ['aliases in conflict', { query: `{ payments { nodes { ${name}: id ${name}: status } } }` }],
  ['a value that is not in an enumeration', { query: `{ payments(filter: { phases: [${name}] }) { nodes { id } } }` }],
  ['a text for a number', { query: `{ payments(first: "${text}") { nodes { id } } }` }],
  ['a number that is too long', { query: `{ payments(first: ${'9'.repeat(LONG)}) { nodes { id } } }` }],
  ['a field of an input that is not there', { query: `{ payments(filter: { ${name}: 1 }) { nodes { id } } }` }],
  ['a variable of no known type', { query: `query ($a: ${name}) { __typename }` }],
  ['a variable that is not declared', { query: `{ payments(first: $${name}) { nodes { id } } }` }],
  ['a variable that is not used', { query: `query ($${name}: Int) { __typename }` }],
  ['a text that does not end', { query: `{ payment(id: "${text}` }],
  ['a document of names', { query: name }],
  ['a text in a variable for a number', { query: PAGE, variables: { n: text } }],
  ['an object in a variable for a number', { query: PAGE, variables: { n: { [name]: text } } }],
  ['a wrong value in a list', { query: PHASES, variables: { f: { phases: ['SUCCEEDED', text] } } }],
  ['several wrong values', { query: PHASES, variables: { f: { phases: [`1${name}`, `2${name}`, 'x'] } } }],
  ['a wrong field of a variable', { query: PHASES, variables: { f: { [name]: 1 } } }],
  ['suggestions that the client has made', { query: PAGE, variables: { n: 'Did you mean '.repeat(1_500) } }],
  ['the name of an operation', { query: '{ __typename }', operationName: name }],
  ['an id of a document', { query: '{ __typename }', documentId: name }],
  ['the hash of a document', { extensions: { persistedQuery: { version: 1, sha256Hash: name } } }],
  ['a cursor', { query: `{ payments(after: "${name}") { nodes { id } } }` }],
  ['a wrong date', { query: PHASES, variables: { f: { createdFrom: text } } }],
  ['a wrong decimal', { query: LINK, variables: { input: { ...input, amount: { value: name, currency: 'AUD' } } } }],
  ['a wrong currency', { query: LINK, variables: { input: { ...input, amount: { value: '1', currency: name } } } }],
  ['a wrong reference', { query: LINK, variables: { input: { ...input, reference: name } } }],
  ['a wrong address', { query: LINK, variables: { input: { ...input, redirectUrl: `https://${name}` } } }],
  [
    'representations of nothing',
    { query: `{ _entities(representations: [{ __typename: "${name}", id: "${name}" }]) { __typename } }` },
  ],
]

/** Returns the texts of the errors in an answer: messages, and the paths of problems with an input. */
function textsIn(answer: unknown): string[] {
  if (typeof answer !== 'object' || answer === null) return []
  return Object.entries(answer).flatMap(([key, value]: [string, unknown]) =>
    key === 'message' && typeof value === 'string' ? [value] : textsIn(value),
  )
}

// promise(operations): An error repeats at most 200 characters of the request.
describe.each([
  ['development', { NODE_ENV: 'development' }],
  ['production', PRODUCTION],
] as const)('in %s', (_environment, settings) => {
  let network: Network
  let token: string
  beforeAll(async () => {
    network = await startNetwork({ env: settings })
    token = await network.token()
  })
  afterAll(() => network.close())

  describe.each(TRANSPORTS)('over $name, an error repeats little of', ({ run }) => {
    it.each(MISTAKES)('%s', async (_name, operation) => {
      const texts = textsIn(await run(network, operation, token))
      expect(texts).not.toEqual([])
      expect(texts.filter(({ length }) => length > MOST)).toEqual([])
    })
  })
})
