import { assert, asyncProperty, integer, noShrink } from 'fast-check'
import { isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newSeed, randomFrom } from '../faults/random.ts'
import { rounds } from '../faults/rounds.ts'
import { tell } from '../faults/tell.ts'
import { PRODUCTION, startNetwork, type Network } from '../support/network.ts'
import { TRANSPORTS } from '../support/transports.ts'
import { schema } from './gate.ts'
import { misspelt } from './misspell.ts'
import { randomOperation, type RandomOperation } from './random-operation.ts'

/** Every documented key of an error's extensions. */
const DOCUMENTED = new Set(['code', 'argument', 'limit', 'maximum', 'id'])
/** English words that are also names in the schema: unquoted they are part of a sentence, and disclose nothing. */
const ENGLISH = /^([a-z]+|Query|Mutation|Subscription)$/
const RUNS = rounds({ few: 200, many: 10_000 })
const BUILT_IN = new Set(['ID', 'Int', 'Float', 'String', 'Boolean'])

let network: Network
let token: string
beforeAll(async () => {
  network = await startNetwork({ env: PRODUCTION })
  token = await network.token()
})
afterAll(() => network.close())

const names = new Set<string>()
for (const type of Object.values(schema.getTypeMap())) {
  if (type.name.startsWith('__') || BUILT_IN.has(type.name)) continue
  names.add(type.name)
  if (isEnumType(type)) for (const { name } of type.getValues()) names.add(name)
  if (isInputObjectType(type)) for (const name of Object.keys(type.getFields())) names.add(name)
  if (!isObjectType(type) && !isInterfaceType(type)) continue
  for (const { name, args } of Object.values(type.getFields()))
    for (const named of [{ name }, ...args]) names.add(named.name)
}

/** Returns the names of the schema in these errors that the client did not send. */
function leaked({ query, variables }: RandomOperation, errors: readonly object[]): string[] {
  const told = new Set(`${query} ${JSON.stringify(variables)}`.match(/\w+/g))
  const texts = errors.map((error) =>
    JSON.stringify(error, (key, value: unknown) => (key === 'code' || key === 'extensions' ? undefined : value)),
  )
  return texts.flatMap((text) =>
    [...text.matchAll(/(\\")?([A-Za-z_]\w*)/g)]
      .filter(
        ([, quoted, name = '']) => names.has(name) && !told.has(name) && (quoted !== undefined || !ENGLISH.test(name)),
      )
      .filter(([, , name]) => !['message', 'locations', 'line', 'column', 'path'].includes(name ?? ''))
      .map(([, , name]) => name ?? ''),
  )
}

// promise(operations): In production errors contain no schema name that the request did not contain.
it('an operation with mistakes is told no name of the schema that is not in it', async () => {
  const seed = newSeed()
  tell(`names: TEST_SEED=${seed}`)
  let refused = 0
  await assert(
    asyncProperty(noShrink(integer({ min: 0 })), async (start) => {
      const random = randomFrom(start)
      const operation = misspelt(randomOperation(schema, random), random)
      for (const { run } of TRANSPORTS) {
        const { errors = [] } = await run(network, operation, token)
        refused += errors.length === 0 ? 0 : 1
        expect({ operation, errors, leaked: leaked(operation, errors) }).toMatchObject({ leaked: [] })
        for (const { extensions = {} } of errors) {
          expect(Object.keys(extensions).filter((key) => !DOCUMENTED.has(key))).toEqual([])
          expect(extensions['code']).toBeTypeOf('string')
        }
        expect(JSON.stringify(errors)).not.toMatch(/did you mean|node_modules|at \w+ \(|stack/i)
      }
    }),
    { numRuns: RUNS, seed: seed | 0 },
  )
  expect(refused).toBeGreaterThan(RUNS)
}, 3_600_000)
