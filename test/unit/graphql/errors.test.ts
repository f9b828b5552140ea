import { Writable } from 'node:stream'
import { buildSchema, graphql, GraphQLError, type GraphQLFormattedError } from 'graphql'
import { describe, expect, it } from 'vitest'
import { badArgument, createErrorFormatter, forbidden, notFound, unauthenticated } from '../../../src/graphql/errors.ts'
import { createScalars } from '../../../src/graphql/scalars.ts'
import { createLogger } from '../../../src/log.ts'

const MASKED = 'The answer could not be made. The fault has been logged.'
const SECRET = 'canary-4711'

const schema = buildSchema('scalar DateTime\ntype Query { field(at: DateTime): String, list: [String!] }')
const { DateTime } = createScalars({ production: true })
Object.assign(schema.getType('DateTime') ?? {}, {
  parseValue: DateTime.parseValue,
  parseLiteral: DateTime.parseLiteral,
})

/** What a client sees of the errors of an operation, and what was logged. */
async function shown(
  work: { field?: () => unknown; source?: string; variables?: Record<string, unknown> },
  production = true,
): Promise<{ errors: GraphQLFormattedError[]; log: string }> {
  const lines: string[] = []
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const format = createErrorFormatter(createLogger({ level: 'debug', destination }), { production })
  const { errors = [] } = await graphql({
    schema,
    source: work.source ?? '{ field }',
    rootValue: { field: work.field },
    variableValues: work.variables ?? {},
  })
  return { errors: errors.map((error) => format(error.toJSON(), error)), log: lines.join('') }
}

const fails = (error: unknown) => () => {
  throw error
}

describe('an error that was raised on purpose', () => {
  it.each([
    [
      'a bad argument',
      badArgument('first', 'must lie between 1 and 100'),
      'first must lie between 1 and 100',
      { code: 'BAD_USER_INPUT', argument: 'first' },
    ],
    ['nobody', unauthenticated(), 'A valid token is required.', { code: 'UNAUTHENTICATED' }],
    [
      'a missing scope',
      forbidden('Query.x'),
      'The token does not carry a scope that Query.x needs.',
      { code: 'FORBIDDEN' },
    ],
    ['nothing', notFound('id'), 'There is nothing with this id.', { code: 'NOT_FOUND', argument: 'id' }],
  ])('is shown: %s', async (_name, error, message, extensions) => {
    const { errors, log } = await shown({ field: fails(error) })
    expect(errors).toEqual([{ message, extensions, path: ['field'], locations: [{ line: 1, column: 3 }] }])
    expect(log).toBe('')
  })

  it('is shown, also from a promise and when it was wrapped on the way', async () => {
    const inner = notFound('id')
    for (const error of [
      inner,
      new GraphQLError(inner.message, { originalError: inner, extensions: inner.extensions }),
    ]) {
      const { errors } = await shown({ field: () => Promise.reject(error) })
      expect(errors).toMatchObject([{ message: inner.message, extensions: { code: 'NOT_FOUND' } }])
    }
  })

  it('keeps to itself what is meant for the transport, and where it came from', async () => {
    const error = new GraphQLError('No.', {
      extensions: { code: 'X', http: { status: 403 }, stacktrace: ['at x'], kept: 1 },
    })
    const { errors } = await shown({ field: fails(error) })
    expect(errors[0]?.extensions).toEqual({ code: 'X', kept: 1 })
  })
})

describe('the mistake of a client', () => {
  it.each([
    ['in the text', { source: '{ field(' }, /Syntax Error/],
    ['in a name', { source: '{ nothing }' }, /Cannot query field "nothing"/],
    ['in a variable', { source: 'query ($at: DateTime) { field(at: $at) }', variables: { at: 'yesterday' } }, /\$at/],
    ['in a literal', { source: '{ field(at: "yesterday") }' }, /yesterday/],
    ['by leaving a variable out', { source: 'query ($at: DateTime!) { field(at: $at) }' }, /required type/],
  ])('is shown: %s', async (_name, work, message) => {
    const { errors, log } = await shown(work)
    expect(errors.map((error) => error.message)).toEqual([expect.stringMatching(message)])
    expect(log).toBe('')
  })

  it('tells no name of the schema in production', async () => {
    const misspelt = { source: '{ feild }' }
    const [inProduction, inDevelopment] = await Promise.all([shown(misspelt), shown(misspelt, false)])
    expect(inProduction.errors[0]?.message).toBe('Cannot query field "feild" on type "Query".')
    expect(inDevelopment.errors[0]?.message).toContain('Did you mean "field"')
  })
})

describe('a bug', () => {
  it.each([
    ['an error', new TypeError(`Cannot read ${SECRET}`)],
    ['an error with a cause', new Error(SECRET, { cause: new Error(SECRET) })],
    ['a text', SECRET],
    ['an object', { message: SECRET, extensions: { code: SECRET } }],
    ['nothing', undefined],
    [
      'a bug inside an error of GraphQL',
      new GraphQLError(SECRET, { originalError: new TypeError(SECRET), extensions: { code: SECRET } }),
    ],
  ])('shows nothing of itself, and is logged: %s', async (_name, thrown) => {
    const { errors, log } = await shown({ field: fails(thrown) })
    expect(errors).toEqual([
      {
        message: MASKED,
        extensions: { code: 'INTERNAL_SERVER_ERROR' },
        path: ['field'],
        locations: [{ line: 1, column: 3 }],
      },
    ])
    expect(log).toContain('a resolver failed')
    expect(log).not.toContain(SECRET)
  })

  it('in the shape of an answer is one too', async () => {
    const { errors } = await shown({ source: '{ list }' })
    expect(errors).toEqual([])
    const { errors: wrong } = await shown({ field: () => ({}) })
    expect(wrong.map(({ message }) => message)).toEqual([expect.not.stringContaining(SECRET)])
  })

  it('without a place has none', () => {
    const format = createErrorFormatter(createLogger({ level: 'silent' }), { production: true })
    expect(format({ message: SECRET }, new Error(SECRET))).toEqual({
      message: MASKED,
      extensions: { code: 'INTERNAL_SERVER_ERROR' },
    })
  })
})
