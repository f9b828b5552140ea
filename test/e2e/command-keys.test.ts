import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS, resultId } from '../support/commands.ts'
import { newKey } from '../support/inputs.ts'
import { asked, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'
import { V1_SITES } from '../support/payouts.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND, env: V1_SITES })))
afterEach(() => network.sandbox.control.clearFaults())
afterAll(() => network.close())

/** Returns whether a mutation changes an existing object: then the result has the same id for every caller. */
const isChange = (name: string) => !name.startsWith('create')

// promise(commands): Fifty calls with one key are one request to the payments API; another input under the key is
// refused.
describe.each(COMMANDS)('the key of $name', ({ name, path, key, longestKey, prepare }) => {
  const calls = () => asked(network, 'POST', path)
  const run = (input: Readonly<Record<string, unknown>>, token?: string) =>
    mutate(network, name, input, token === undefined ? {} : { token })
  const CONFLICT = { __typename: 'PaymentsIdempotencyConflictError', inProgress: false, retryable: false }

  it('used fifty times at once has the payments API asked once, and gives all the same', async () => {
    const { input, other } = await prepare(network)
    network.sandbox.control.addFault({ method: 'POST', path, answer: { delayMs: 200 } })
    const before = calls()
    const first = run(input)
    const rest = Array.from({ length: 49 }, () => run(input))
    const results = await Promise.all([first, ...rest])
    expect(calls() - before).toBe(1)
    expect(resultId(await first)).toEqual(expect.any(String))
    expect(new Set(results.map((result) => resultId(result)))).toEqual(new Set([resultId(await first)]))
    expect(results.filter(({ replayed }) => replayed === false)).toHaveLength(1)
    expect(await run(other)).toMatchObject(CONFLICT)
    expect(calls() - before).toBe(1)
  })

  it('used at once with two inputs serves one of them, and is a conflict for the other', async () => {
    const { input, other } = await prepare(network)
    network.sandbox.control.addFault({ method: 'POST', path, answer: { delayMs: 100 } })
    const before = calls()
    const results = await Promise.all([run(input), run(other)])
    expect(calls() - before).toBe(1)
    expect(results.filter((result) => resultId(result) !== null)).toHaveLength(1)
    expect(results.filter(({ __typename }) => __typename === 'PaymentsIdempotencyConflictError')).toMatchObject([
      CONFLICT,
    ])
  })

  it('belongs to its caller: another one neither gets the first result nor meets a conflict', async () => {
    const { input, other } = await prepare(network)
    const first = await run(input, await network.token({ subject: 'one' }))
    for (const [subject, same] of [
      ['two', input],
      ['three', other],
    ] as const) {
      const result = await run(same, await network.token({ subject }))
      expect(result.__typename).not.toBe(CONFLICT.__typename)
      expect(result.replayed).not.toBe(true)
      // A result of its own, or none if the payments API rejects a second one.
      expect(!isChange(name) && resultId(result) === resultId(first)).toBe(false)
    }
    const again = await run(input, await network.token({ subject: 'one' }))
    expect(again).toMatchObject({ replayed: true })
    expect(resultId(again)).toBe(resultId(first))
  })

  it('counts as it is written, to the last character', async () => {
    const start = newKey()
    const long = start + 'x'.repeat(longestKey - start.length - 1)
    const before = calls()
    // The last two look alike: one precomposed letter, and a letter with a combining mark.
    const keys = [`${long}a`, `${long}b`, `${start} 鍵 🗝`, `${start} \u00e9`, `${start} e\u0301`]
    for (const used of keys) {
      const { input } = await prepare(network)
      expect(await run({ ...input, [key]: used })).toMatchObject({ replayed: false })
      expect(await run({ ...input, [key]: used })).toMatchObject({ replayed: true })
    }
    expect(calls() - before).toBeGreaterThanOrEqual(keys.length)
  })

  it.each([
    ['empty', () => ''],
    ['blank', () => '  '],
    ['too long', () => 'x'.repeat(longestKey + 1)],
    ['with a line break', () => 'two\nlines'],
    ['half a character', () => '\ud83d'],
  ])('is refused when it is %s, without a call', async (_what, bad) => {
    const { input } = await prepare(network)
    const before = calls()
    expect(await run({ ...input, [key]: bad() })).toMatchObject({
      __typename: 'PaymentsInvalidInputError',
      problems: [{ path: [key] }],
    })
    expect(calls()).toBe(before)
  })
})

it('a key is free for another mutation', async () => {
  const idempotencyKey = newKey()
  const ids = new Set<string | null>()
  const free = COMMANDS.filter(({ key }) => key === 'idempotencyKey')
  for (const { name, prepare } of free) {
    const { input } = await prepare(network)
    const result = await mutate(network, name, { ...input, idempotencyKey })
    expect(result).toMatchObject({ replayed: false })
    ids.add(resultId(result))
  }
  expect(ids.size).toBe(free.length)
})
