import { assert, asyncProperty, func, nat } from 'fast-check'
import { buildSchema, execute, parse } from 'graphql'
import { expect, it } from 'vitest'
import { inDocumentOrder } from '../../../src/graphql/engine/engine.ts'

const SCHEMA = buildSchema('type Query { a: Int, b: Int, list: [Item] } type Item { c: Int, d: Int, inner: [Item] }')
const DOCUMENT = parse('{ b list { d ...Rest c } other: list { ...Rest } a } fragment Rest on Item { inner { d c } }')
const DEPTH = 2
const ITEMS = 11

it('gives the errors of fields the same order, whenever each of them occurs', async () => {
  const inOrder = await errorsOf(() => 0)
  expect(inOrder.map(({ path }) => path?.join('.')).slice(0, 14)).toEqual([
    'b',
    ...Array.from({ length: ITEMS }, (_, index) => `list.${index}.d`),
    'list.0.c',
    'list.1.c',
  ])
  await assert(
    asyncProperty(func(nat(3)), async (turnsOf) => {
      expect(await errorsOf(turnsOf)).toEqual(inOrder)
    }),
    { numRuns: 30 },
  )
})

/** Returns the errors of the document, each of which occurs after a number of turns. */
async function errorsOf(turnsOf: (number: number) => number) {
  let fields = 0
  const failing = () => {
    const turns = turnsOf((fields += 1))
    if (turns === 0) throw new Error('It fails.')
    return later(turns)
  }
  const items = (depth: number): unknown[] =>
    Array.from({ length: ITEMS }, () => ({ c: failing, d: failing, inner: depth === 0 ? [] : () => items(depth - 1) }))
  const rootValue = { a: failing, b: failing, list: () => items(DEPTH - 1) }
  const { errors = [] } = await execute({ schema: SCHEMA, document: DOCUMENT, rootValue })
  return inDocumentOrder(errors)
}

async function later(turns: number): Promise<never> {
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
  throw new Error('It fails.')
}
