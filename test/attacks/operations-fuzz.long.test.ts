import { afterAll, beforeAll, expect, it } from 'vitest'
import { newSeed, randomFrom, type Random } from '../faults/random.ts'
import { tell } from '../faults/tell.ts'
import { startNetwork, type Network } from '../network.ts'
import { schema } from './gate.ts'
import { misspelt } from './misspell.ts'
import { openSenders, ROOM } from './operation-senders.ts'
import { oneOf, randomOperation, type RandomOperation } from './random-operation.ts'

/** How many operations are sent, over each transport. */
const COUNT = Number(process.env['TEST_OPERATIONS'] ?? 100_000)
/** The socket's token has to outlive the run. */
const TOKEN_SECONDS = 4 * 3_600

/** What no client may ever see: a fault of ours, and an error without a code. */
const FAULTS = new Set(['INTERNAL_SERVER_ERROR', 'undefined'])

const JUNK = [
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  '...',
  '$',
  '@',
  '!',
  ':',
  '"',
  '"""',
  '\\',
  '\u0000',
  '\uFEFF',
  '\uD800',
  '#',
  '&',
  '|',
  '\n',
  '1e999',
  '-',
  '٣',
]

let network: Network
beforeAll(async () => void (network = await startNetwork({ env: ROOM })))
afterAll(() => network.close())

/** An operation as it is, with mistakes, or with characters that do not belong there. */
function anyOperation(random: Random): RandomOperation {
  const operation = randomOperation(schema, random)
  const kind = random()
  if (kind < 0.4) return operation
  if (kind < 0.8) return misspelt(operation, random)
  const at = Math.floor(random() * operation.query.length)
  const rest = operation.query.slice(at + Math.floor(random() * 3))
  return { ...operation, query: `${operation.query.slice(0, at)}${oneOf(random, JUNK)}${rest}` }
}

it('no operation whatever is answered with a fault of our own', async () => {
  const seed = newSeed()
  tell(`fuzz: TEST_SEED=${seed} TEST_OPERATIONS=${COUNT}`)
  const random = randomFrom(seed)
  const senders = await openSenders(network, await network.token({ ttlSeconds: TOKEN_SECONDS }))
  const codes = new Map<string, number>()
  for (let index = 0; index < COUNT; index += 1) {
    const operation = anyOperation(random)
    for (const { send } of senders) {
      const { errors } = await send(operation)
      for (const code of errors === undefined
        ? ['none']
        : errors.map(({ extensions }) => String(extensions?.['code']))) {
        codes.set(code, (codes.get(code) ?? 0) + 1)
        expect({ operation, errors, fault: FAULTS.has(code) }).toMatchObject({ fault: false })
      }
    }
  }
  for (const sender of senders) sender.close()
  tell(`fuzz: ${JSON.stringify(Object.fromEntries(codes))}`)
  expect(network.log()).not.toMatch(/"level":"(?:error|fatal)"/)
  expect((await network.ask('{ paymentCurrencies { code } }')).errors).toBeUndefined()
})
