import { buildSchema, type ExecutionArgs, type ExecutionResult, GraphQLError, isObjectType, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import type { Context } from '../../../src/graphql/context.ts'
import { createLoaders } from '../../../src/graphql/loaders.ts'
import { subscribeAfresh } from '../../../src/graphql/subscribe-afresh.ts'
import { delivery, report } from '../../contract/store/builders.ts'
import { openStore } from '../streams/log.ts'

type Source = AsyncIterableIterator<{ ticks: number }> & { ended: number }

/** Ticks without an end, until it is ended. */
function ticking(): Source {
  let tick = 0
  return {
    ended: 0,
    async next() {
      return this.ended > 0 ? { done: true, value: undefined } : { done: false, value: { ticks: ++tick } }
    },
    async return() {
      this.ended += 1
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

const SDL = 'type Query { open: String }\ntype Subscription { ticks: Int, status: String }'

async function setUp(source: () => unknown, query = 'subscription { ticks }') {
  const store = await openStore()
  const parts = { store, methods: {}, operations: {} } as Pick<Context, 'store' | 'methods' | 'operations'>
  const contextValue = { ...parts, loaders: createLoaders(parts, () => {}) } as Context
  const seen: Context[] = []
  const schema = buildSchema(SDL)
  const type = schema.getType('Subscription')
  if (!isObjectType(type)) throw new Error('There is no subscription.')
  const { ticks, status } = type.getFields()
  for (const field of [ticks, status]) if (field !== undefined) field.subscribe = source
  if (ticks !== undefined)
    ticks.resolve = (item: { ticks: number }, _args, context: Context) => {
      seen.push(context)
      if (item.ticks === 3) throw new GraphQLError('Not the third.')
      return item.ticks
    }
  if (status !== undefined)
    status.resolve = async (_item, _args, context: Context) =>
      (await context.loaders.paymentById.load('PAY1'))?.statusRaw
  const args: ExecutionArgs = { schema, document: parse(query), contextValue }
  return { store, args, seen, contextValue }
}

async function items(args: ExecutionArgs): Promise<AsyncIterableIterator<ExecutionResult>> {
  const results = await subscribeAfresh(args, () => {})
  if (!(Symbol.asyncIterator in results)) throw new Error(`It was refused: ${JSON.stringify(results)}`)
  return results
}

describe('a subscription', () => {
  it('answers each item with loaders of its own', async () => {
    const { args, seen, contextValue } = await setUp(ticking)
    const results = await items(args)
    for (const tick of [1, 2]) expect((await results.next()).value).toEqual({ data: { ticks: tick } })
    const loaders = [contextValue, ...seen].map((context) => context.loaders)
    expect(new Set(loaders).size).toBe(3)
    expect(seen.every(({ store }) => store === contextValue.store)).toBe(true)
    await results.return?.()
  })

  it('serves nothing that was read for one item to the next', async () => {
    const { store, args } = await setUp(ticking, 'subscription { status }')
    const results = await items(args)
    for (const status of ['pending', 'authorised', 'received']) {
      await store.inbox.receive(delivery(report(status)))
      expect((await results.next()).value).toEqual({ data: { status } })
    }
    await results.return?.()
  })

  it('goes on after an item that could not be answered', async () => {
    const { args } = await setUp(ticking)
    const results = await items(args)
    const answers = [await results.next(), await results.next(), await results.next(), await results.next()]
    expect(answers.map(({ value }) => (value as ExecutionResult).data?.['ticks'])).toEqual([1, 2, null, 4])
    expect(answers[2]?.value).toMatchObject({ errors: [{ message: 'Not the third.' }] })
    await results.return?.()
  })

  it.each(['return', 'throw'] as const)('ends its source on %s()', async (end) => {
    const source = ticking()
    const { args } = await setUp(() => source)
    const results = await items(args)
    await results.next()
    expect(await results[end]?.(new Error('Over.'))).toEqual({ done: true, value: undefined })
    expect(source.ended).toBe(1)
    expect((await results.next()).done).toBe(true)
  })

  it('ends its source when the loop over it is left', async () => {
    const source = ticking()
    const { args } = await setUp(() => source)
    for await (const { data } of await items(args)) if (data?.['ticks'] === 2) break
    expect(source.ended).toBe(1)
  })

  it('ends with its source', async () => {
    const { args } = await setUp(async function* () {
      yield { ticks: 1 }
    })
    const results = await items(args)
    expect((await results.next()).done).toBe(false)
    expect(await results.next()).toEqual({ done: true, value: undefined })
  })

  it('ends when its source fails, and says so', async () => {
    const failure = new Error('The store is gone.')
    const { args } = await setUp(async function* () {
      yield { ticks: 1 }
      throw failure
    })
    const failures: unknown[] = []
    const results = await subscribeAfresh(args, (error) => failures.push(error))
    if (!(Symbol.asyncIterator in results)) throw new Error('It was refused.')
    expect((await results.next()).done).toBe(false)
    expect(await results.next()).toEqual({ done: true, value: undefined })
    expect(failures).toEqual([failure])
  })

  it('that is refused gives its errors', async () => {
    const { args } = await setUp(() => {
      throw new GraphQLError('Not you.')
    })
    expect(await subscribeAfresh(args, () => {})).toMatchObject({ errors: [{ message: 'Not you.', path: ['ticks'] }] })
  })
})
