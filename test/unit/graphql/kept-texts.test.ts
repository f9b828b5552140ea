import { buildSchema, type GraphQLObjectType } from 'graphql'
import { expect, it } from 'vitest'
import { createLibraryExecutor, createPlannedExecutor } from '../../../src/graphql/execution/executor.ts'
import { keptUntil, ofProperties } from '../../../src/graphql/own-properties.ts'
import { executable, result } from './both-executors.ts'

it('keeps the texts of frozen objects, and of nothing that may change', async () => {
  const schema = buildSchema(
    'enum Mood { CALM } scalar Any type Item { name: String, mood: Mood, any: Any } type Query { items: [Item] }',
  )
  let calls = 0
  const changing = { name: 'first', mood: 'CALM', any: null }
  const counted = Object.freeze({ name: () => `call ${(calls += 1)}`, mood: null, any: null })
  const items = [
    Object.freeze({ name: 'kept', mood: 'CALM', any: 1 }),
    Object.freeze({ name: 'kept too', any: 'text' }),
    Object.freeze({ name: 'wrong', mood: 'ANGRY', any: true }),
    Object.freeze({ name: 'holds', any: { count: 0 } }),
    Object.freeze(Object.create({ name: 'inherited' }) as object),
    Object.freeze({
      get name() {
        return `read ${calls}`
      },
    }),
    counted,
    changing,
  ]
  const field = schema.getQueryType()?.getFields()['items']
  if (field !== undefined) field.resolve = () => items
  const operation = executable(schema, '{ items { __typename name mood any } }', {})
  if (operation === null) throw new Error('The operation is not valid.')
  const [planned, library] = [createPlannedExecutor(schema), createLibraryExecutor(schema)]
  for (let round = 0; round < 200; round += 1) {
    changing.name = `round ${round}`
    ;(items[3] as { any: { count: number } }).any.count = round
    const before = calls
    const expected = await result(library, operation)
    calls = before
    expect(await result(planned, operation)).toEqual(expected)
  }
})

it('keeps the texts of frozen lists, and of none in which something may change', async () => {
  const schema = buildSchema('type Item { name: String!, count: Int } type Query { items: [Item], others: [Item!] }')
  const changing = { name: 'changing', count: 0 }
  const [first, second] = [{ name: 'first' }, { name: 'second', count: 2 }].map((item) => Object.freeze(item))
  const invalid = Object.freeze({ name: null, count: 1 })
  const growing = [first]
  const lists = [
    [first, second],
    [second, first],
    [first, changing],
    [first, null, second],
    [invalid, second],
  ]
  let round = 0
  const resolve = () => (round % 6 === 5 ? growing : Object.freeze(lists[round % 6]))
  for (const name of ['items', 'others']) Object.assign(schema.getQueryType()?.getFields()[name] ?? {}, { resolve })
  const operation = executable(schema, '{ items { name count } others { count __typename name } }', {})
  if (operation === null) throw new Error('The operation is not valid.')
  const [planned, library] = [createPlannedExecutor(schema), createLibraryExecutor(schema)]
  for (; round < 400; round += 1) {
    changing.count = round
    if (round % 50 === 0) growing.push(second)
    expect(await result(planned, operation)).toEqual(await result(library, operation))
  }
})

it('keeps only the parts of a frozen object that come from its properties', async () => {
  const schema = buildSchema(
    `type Part { size: Int, label: String } type Query { items: [Item] }
     type Item { id: ID!, named: String, part: Part, now: Int!, part2: Part, last: String! }`,
  )
  const fieldsOf = (name: string) => (schema.getType(name) as GraphQLObjectType).getFields()
  let round = 0
  Object.assign(fieldsOf('Part')['label'] ?? {}, {
    resolve: ofProperties(['size'], ({ size }: { readonly size: number }) => `of ${size}`),
  })
  Object.assign(fieldsOf('Item')['named'] ?? {}, {
    resolve: ofProperties(['id'], ({ id }: { readonly id: string | null }) =>
      id === null ? `in ${round}` : `is ${id}`,
    ),
  })
  Object.assign(fieldsOf('Item')['now'] ?? {}, {
    resolve: ({ fails }: { readonly fails?: boolean }) => {
      if (fails === true && round % 2 === 0) throw new Error(`fails in ${round}`)
      return round % 3 === 0 ? Promise.resolve(round) : round
    },
  })
  const loose = { size: 1 }
  const part = Object.freeze({ size: 2 })
  const items = [
    { id: 'a', part, part2: null, last: 'z' },
    { id: 'b', part: loose, part2: part, last: 'z' },
    { id: 'c', part: null, last: 'z', fails: true },
    { id: null, part, part2: part, last: 'z' },
    { id: 'd', part, part2: part, last: null },
  ].map((item) => Object.freeze(item))
  const field = schema.getQueryType()?.getFields()['items']
  if (field !== undefined) field.resolve = () => items
  const text = `{ items { __typename id named part { label size } now more: now part2 { size ... on Part { label } } last } }`
  const operation = executable(schema, text, {})
  if (operation === null) throw new Error('The operation is not valid.')
  const [planned, library] = [createPlannedExecutor(schema), createLibraryExecutor(schema)]
  for (round = 0; round < 200; round += 1) {
    loose.size = round
    expect(await result(planned, operation)).toEqual(await result(library, operation))
  }
})

it('keeps the text of a frozen object until a field of it changes with the time', async () => {
  const schema = buildSchema('type Item { id: ID, state: String, other: Item } type Query { items: [Item] }')
  const fields = (schema.getType('Item') as GraphQLObjectType).getFields()
  type Item = { readonly id: string; readonly endsAt: number; readonly open?: boolean }
  let now = 0
  let resolved = 0
  Object.assign(fields['state'] ?? {}, {
    resolve: keptUntil(
      ({ endsAt, open }: Item, at) => (open === true ? 0 : at < endsAt ? endsAt : Infinity),
      ({ endsAt, open }: Item) => {
        resolved += 1
        return open === true ? `open at ${now}` : now < endsAt ? 'before' : 'after'
      },
    ),
  })
  const items = Array.from({ length: 20 }, (_, index) =>
    Object.freeze({
      id: `${index}`,
      endsAt: 90 + index * 7,
      other: Object.freeze({ id: 'other', endsAt: 150 + index, other: null }),
      ...(index % 7 === 3 ? { open: true } : {}),
    }),
  )
  const field = schema.getQueryType()?.getFields()['items']
  if (field !== undefined) field.resolve = () => items
  const operation = executable(schema, '{ items { id state other { state id } } }', {})
  if (operation === null) throw new Error('The operation is not valid.')
  const [planned, library] = [createPlannedExecutor(schema), createLibraryExecutor(schema)]
  const context = { clock: () => new Date(now) }
  for (; now < 300; now += 1) {
    const expected = await result(library, operation, context)
    resolved = 0
    expect(await result(planned, operation, context)).toEqual(expected)
  }
  // Only those are resolved again whose values depend on more than the item and the time.
  expect(resolved).toBe(3)
})
