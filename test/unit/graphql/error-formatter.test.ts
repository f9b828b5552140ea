import { Writable } from 'node:stream'
import { buildSchema, graphql, GraphQLError, type GraphQLFormattedError } from 'graphql'
import { describe, expect, it } from 'vitest'
import { createHideNames } from '../../../src/graphql/admission/hidden-names.ts'
import {
  badArgument,
  createErrorFormatter,
  failedRead,
  forbidden,
  notFound,
  unauthenticated,
} from '../../../src/graphql/error-formatter.ts'
import { createScalars } from '../../../src/graphql/schema/scalars.ts'
import { createLogger } from '../../../src/observability/logger.ts'

const MASKED = 'The answer could not be made. The fault has been logged.'
const SECRET = 'canary-4711'

const schema = buildSchema(`
  scalar DateTime
  type Secret { id: ID }
  type Thing { name: String, secret: Secret }
  type Query { field(at: DateTime): String, dated(at: DateTime! = "2026-01-01T00:00:00Z"): String, list: [String!], thing: Thing, payments: String }
`)
const { DateTime } = createScalars({ production: true })
Object.assign(schema.getType('DateTime') ?? {}, {
  parseValue: DateTime.parseValue,
  parseLiteral: DateTime.parseLiteral,
})

/** Returns the errors of an operation as a client receives them, and the log. */
async function shown(
  work: { field?: () => unknown; list?: () => unknown; source?: string; variables?: Record<string, unknown> },
  production = true,
): Promise<{ errors: GraphQLFormattedError[]; log: string }> {
  const lines: string[] = []
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const logger = createLogger({ level: 'debug', destination })
  const format = createErrorFormatter({ logger, hideNames: production ? createHideNames(schema) : null })
  const { errors = [] } = await graphql({
    schema,
    source: work.source ?? '{ field }',
    rootValue: { field: work.field, list: work.list },
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
    ['nothing', notFound('id'), 'Nothing was found with this id.', { code: 'NOT_FOUND', argument: 'id' }],
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

describe('the mistake of a client that shows while the operation runs', () => {
  const mistake = { source: 'query ($at: DateTime) { dated(at: $at) }', variables: { at: null } }

  it('is shown with a code, and is not logged', async () => {
    const { errors, log } = await shown(mistake, false)
    expect(errors).toEqual([
      {
        message: 'Argument "at" of non-null type "DateTime!" must not be null.',
        path: ['dated'],
        locations: [{ line: 1, column: 35 }],
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ])
    expect(log).toBe('')
  })

  it('tells in production no name that the client has not told', async () => {
    const field = fails(badArgument('at', 'is not what "Secret" and Thing.name want. Did you mean "Secret"?'))
    const { errors } = await shown({ field })
    expect(errors[0]?.message).toBe('at is not what "…" and ….… want.')
  })

  it('keeps in production the words of a sentence that are also names', async () => {
    const { errors } = await shown({
      field: fails(failedRead({ kind: 'upstream-unavailable', retryAfterSeconds: null })),
    })
    expect(errors[0]?.message).toBe('The payments API did not answer this.')
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
        extensions: { code: 'INTERNAL_SERVER_ERROR', id: expect.stringMatching(/^[\da-f-]{36}$/) },
        path: ['field'],
        locations: [{ line: 1, column: 3 }],
      },
    ])
    expect(log).toContain('a resolver failed')
    expect(JSON.parse(log)).toMatchObject({ errorId: errors[0]?.extensions?.['id'] })
    expect(log).not.toContain(SECRET)
  })

  it('in the shape of an answer is one too', async () => {
    const { errors, log } = await shown({ source: '{ list }', list: () => 17 })
    expect(errors).toMatchObject([{ message: MASKED, path: ['list'], extensions: { code: 'INTERNAL_SERVER_ERROR' } }])
    expect(log).toContain('a resolver failed')
  })

  it('without a place has none', () => {
    const format = createErrorFormatter({ logger: createLogger({ level: 'silent' }), hideNames: null })
    expect(format({ message: SECRET }, new Error(SECRET))).toEqual({
      message: MASKED,
      extensions: { code: 'INTERNAL_SERVER_ERROR', id: expect.any(String) },
    })
  })
})
