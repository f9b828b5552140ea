import { GraphQLError } from 'graphql'
import { describe, expect, it } from 'vitest'
import { MAX_PAGE } from '../../../../src/domain/list-filter.ts'
import { connection, pageSize, pageStart } from '../../../../src/graphql/arguments/arguments.ts'
import { createCursorCodec } from '../../../../src/keys/cursor.ts'

const cursors = createCursorCodec('log-1')

/** Returns the extensions of the `GraphQLError` that some work throws, or another error itself; the result if nothing is thrown. */
function mistake(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error instanceof GraphQLError ? error.extensions : error
  }
}

describe('first', () => {
  it.each([1, 2, 50, MAX_PAGE])('may be %d', (first) => expect(pageSize(first)).toBe(first))

  it.each([0, -1, MAX_PAGE + 1, 1.5, Number.NaN, Infinity, 2 ** 31])('may not be %d', (first) => {
    expect(mistake(() => pageSize(first))).toEqual({ code: 'BAD_USER_INPUT', argument: 'first' })
  })
})

describe('after', () => {
  it('is a position of the list, or nothing', () => {
    expect(pageStart(cursors, cursors.encode('log', 42))).toBe(42)
    expect(pageStart(cursors, null)).toBeNull()
    expect(pageStart(cursors, undefined)).toBeNull()
  })

  it.each([
    ['of another list', cursors.encode('payments', 42)],
    ['of another log', createCursorCodec('log-2').encode('log', 42)],
    ['empty', ''],
    ['a number', '42'],
    ['very long', 'a'.repeat(1_000_000)],
  ])('may not be %s', (_name, after) => {
    expect(mistake(() => pageStart(cursors, after))).toEqual({ code: 'BAD_USER_INPUT', argument: 'after' })
  })
})

describe('connection', () => {
  const page = (rows: readonly number[], next: string | null, after: string | null = null) =>
    connection({ rows, next, after }, { cursor: (row) => `c${row}`, node: (row) => row * 10 })

  it('gives a page, and the place at which the list goes on', () => {
    expect(page([9, 8], 'c8')).toEqual({
      edges: [
        { cursor: 'c9', node: 90 },
        { cursor: 'c8', node: 80 },
      ],
      nodes: [90, 80],
      pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: 'c9', endCursor: 'c8' },
    })
  })

  it('knows the last page, and a page before it', () => {
    expect(page([2, 1], null, 'c3').pageInfo).toEqual({
      hasNextPage: false,
      hasPreviousPage: true,
      startCursor: 'c2',
      endCursor: 'c1',
    })
  })

  it.each([null, 'c5'])('may be empty, and go on at %s', (next) => {
    expect(page([], next)).toEqual({
      edges: [],
      nodes: [],
      pageInfo: { hasNextPage: next !== null, hasPreviousPage: false, startCursor: null, endCursor: next },
    })
  })
})
