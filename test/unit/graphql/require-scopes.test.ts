import { buildSchema, execute, type ExecutionResult, type GraphQLSchema, isObjectType, parse, subscribe } from 'graphql'
import { beforeEach, describe, expect, it } from 'vitest'
import { ANONYMOUS, type Caller, type ClientCaller, type Scope } from '../../../src/access/caller.ts'
import { enforceScopes } from '../../../src/graphql/schema/schema.ts'

const DIRECTIVE = 'directive @requiresScopes(scopes: [[String!]!]!) on FIELD_DEFINITION\n'

const SCHEMA = `${DIRECTIVE}
  type Query {
    open: String
    read: String @requiresScopes(scopes: [["payments:read"]])
    either: String @requiresScopes(scopes: [["payments:read"], ["payments:write"]])
    both: String @requiresScopes(scopes: [["payments:read", "payments:pii"]])
    mixed: String @requiresScopes(scopes: [["payments:read", "payments:pii"], ["payments:risk"]])
    nobody: String @requiresScopes(scopes: [])
    anybody: String @requiresScopes(scopes: [[]])
    thing: Thing
  }
  type Mutation { write: String @requiresScopes(scopes: [["payments:write"]]) }
  type Subscription { ticks: String @requiresScopes(scopes: [["payments:read"]]) }
  type Thing { open: String secret: String @requiresScopes(scopes: [["payments:pii"]]) }
`

const FIELDS = ['open', 'read', 'either', 'both', 'mixed', 'nobody', 'anybody', 'write', 'secret']
const rootValue = {
  ...Object.fromEntries(FIELDS.map((name) => [name, name])),
  thing: { open: 'open', secret: 'secret' },
}

function callerWith(...scopes: readonly Scope[]): ClientCaller {
  return {
    kind: 'client',
    subject: 'shop-1',
    identity: 'shop-1',
    name: null,
    scopes: new Set(scopes),
    expiresAt: Date.now() + 60_000,
  }
}

const schema = enforceScopes(buildSchema(SCHEMA))

function ask(query: string, caller: Caller): ExecutionResult {
  return execute({ schema, document: parse(query), rootValue, contextValue: { caller } }) as ExecutionResult
}

// promise(authorization): Authorization directives that would not be enforced prevent the start.
describe('a field with a rule', () => {
  it.each<[string, Scope[], string]>([
    ['nothing', [], 'open anybody'],
    ['payments:read', ['payments:read'], 'open read either anybody'],
    ['payments:write', ['payments:write'], 'open either anybody'],
    ['payments:pii', ['payments:pii'], 'open anybody'],
    ['two of them', ['payments:read', 'payments:pii'], 'open read either both mixed anybody'],
    ['payments:risk', ['payments:risk'], 'open mixed anybody'],
  ])('answers who holds %s', (_name, scopes, answered) => {
    const names = ['open', 'read', 'either', 'both', 'mixed', 'nobody', 'anybody']
    const { data, errors = [] } = ask(`{ ${names.join(' ')} }`, callerWith(...scopes))
    const shown = names.filter((name) => data?.[name] === name)
    expect(shown).toEqual(answered.split(' '))
    expect(errors.map(({ path }) => path?.[0])).toEqual(names.filter((name) => !shown.includes(name)))
    for (const { extensions, message, path } of errors) {
      expect(extensions['code']).toBe('FORBIDDEN')
      expect(message).toBe(`The token does not carry a scope that Query.${path?.[0]} needs.`)
    }
  })

  it('asks those without a token to bring one', () => {
    const { data, errors = [] } = ask('{ open read }', ANONYMOUS)
    expect(data).toEqual({ open: 'open', read: null })
    expect(errors.map(({ extensions }) => extensions['code'])).toEqual(['UNAUTHENTICATED'])
  })

  it('asks for a new token when the one that was shown has expired meanwhile', () => {
    const { data, errors = [] } = ask('{ open read }', { ...callerWith('payments:read'), expiresAt: Date.now() })
    expect(data).toEqual({ open: 'open', read: null })
    expect(errors.map(({ extensions }) => extensions['code'])).toEqual(['UNAUTHENTICATED'])
  })

  it('holds deep down, under an alias and in a fragment', () => {
    const { data, errors = [] } = ask('{ thing { open ...F } } fragment F on Thing { x: secret }', callerWith())
    expect(data).toEqual({ thing: { open: 'open', x: null } })
    expect(errors.map(({ message }) => message)).toEqual(['The token does not carry a scope that Thing.secret needs.'])
  })

  it('guards a mutation before it is done', async () => {
    let done = 0
    const guarded = enforceScopes(buildSchema(SCHEMA))
    const run = (caller: Caller) =>
      execute({
        schema: guarded,
        document: parse('mutation { write }'),
        rootValue: { write: () => ++done },
        contextValue: { caller },
      })
    await run(callerWith('payments:read'))
    expect(done).toBe(0)
    await run(callerWith('payments:write'))
    expect(done).toBe(1)
  })
})

describe('a subscription with a rule', () => {
  let opened: number

  beforeEach(() => {
    opened = 0
  })

  function guarded(): GraphQLSchema {
    const made = buildSchema(SCHEMA)
    const type = made.getType('Subscription')
    const field = isObjectType(type) ? type.getFields()['ticks'] : undefined
    if (field === undefined) throw new Error('There is no subscription.')
    field.subscribe = async function* () {
      opened += 1
      yield { ticks: 'tick' }
    }
    return enforceScopes(made)
  }

  const open = (caller: Caller) =>
    subscribe({ schema: guarded(), document: parse('subscription { ticks }'), contextValue: { caller } })

  it('is refused before its source is opened', async () => {
    for (const caller of [ANONYMOUS, callerWith('payments:write')])
      expect(await open(caller)).toMatchObject({ errors: [{ path: ['ticks'] }] })
    expect(opened).toBe(0)
  })

  it('is opened for those who may', async () => {
    const items = (await open(callerWith('payments:read'))) as AsyncGenerator<ExecutionResult>
    expect((await items.next()).value).toEqual({ data: { ticks: 'tick' } })
    expect(opened).toBe(1)
  })
})

describe('a schema', () => {
  it('that asks for a scope which does not exist is refused', () => {
    const misspelt = SCHEMA.replace('"payments:risk"', '"payment:risk"')
    expect(() => enforceScopes(buildSchema(misspelt))).toThrow(
      'The schema asks for a scope that does not exist: payment:risk',
    )
  })

  it.each([
    ['a type', 'type Unheld @requiresScopes(scopes: [["payments:read"]]) { open: String }'],
    ['an interface', 'interface Unheld { open: String @requiresScopes(scopes: [["payments:read"]]) }'],
    ['a field, by another directive', 'type Unheld { open: String @authenticated }'],
  ])('that asks for something at %s where nothing holds it is refused', (_where, unheld) => {
    const everywhere = `directive @requiresScopes(scopes: [[String!]!]!) on FIELD_DEFINITION | OBJECT
      directive @authenticated on FIELD_DEFINITION type Query { open: String }`
    expect(() => enforceScopes(buildSchema(`${everywhere} ${unheld}`))).toThrow('where it is not held')
  })

  it('that does not know the directive is refused', () => {
    expect(() => enforceScopes(buildSchema('type Query { open: String }'))).toThrow('does not import @requiresScopes')
  })

  it('may import the directive under the name of its own namespace', () => {
    const named = enforceScopes(buildSchema(SCHEMA.replaceAll('@requiresScopes', '@federation__requiresScopes')))
    const result = execute({
      schema: named,
      document: parse('{ read }'),
      rootValue,
      contextValue: { caller: ANONYMOUS },
    })
    expect(result).toMatchObject({ data: { read: null } })
  })
})
