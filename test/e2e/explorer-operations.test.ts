import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { getOperationAST, OperationTypeNode, parse, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALL_SCOPES, isScope } from '../../src/access/caller.ts'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'
import { isCaughtUp } from '../support/streams.ts'

type Variables = Readonly<Record<string, unknown>>

const FOLDER = 'packages/pages/src/explorer/operations'
const schema = createSchema({ production: false })
const names = globSync(`${FOLDER}/*.graphql`).map((path) => basename(path, '.graphql'))
const examples = names.map((name) => ({ name, query: readFileSync(`${FOLDER}/${name}.graphql`, 'utf8') }))

const isStream = (query: string) => getOperationAST(parse(query))?.operation === OperationTypeNode.SUBSCRIPTION

/** Returns the initial variables of an example, from the JSON file of the same name. */
function variablesOf(name: string): Variables {
  const path = `${FOLDER}/${name}.json`
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Variables) : {}
}

describe('the examples of the explorer', () => {
  let network: Network
  beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND })))
  afterAll(() => network.close())

  it.each(examples)('are operations of the schema, one in each file, with a name: $name', ({ query }) => {
    const document = parse(query)
    expect(document.definitions).toHaveLength(1)
    expect(getOperationAST(document)?.name?.value).toMatch(/^[A-Z]\w+$/)
    expect(validate(schema, document)).toEqual([])
  })

  it('are all shown', () => {
    const shown = readFileSync('packages/pages/src/explorer/example-operations.ts', 'utf8')
    for (const name of names) expect(shown).toContain(`./operations/${name}.graphql?raw`)
    for (const path of globSync(`${FOLDER}/*.json`)) expect(shown).toContain(`./operations/${basename(path)}?raw`)
  })

  it('run, with their variables and the ids that they make', async () => {
    const ids = { link: await idOf('create-link', 'link'), payin: await idOf('create-payin', 'payment') }
    const simulation = variablesOf('simulate-payin')['input'] as Variables
    const inputs: Readonly<Record<string, Variables>> = {
      'simulate-payin': { input: { ...simulation, paymentId: ids.payin } },
      'follow-link': { ...variablesOf('follow-link'), id: ids.link },
    }
    const ends: Record<string, unknown> = {}
    for (const { name, query } of examples) {
      const variables = inputs[name] ?? variablesOf(name)
      ends[name] = isStream(query) ? await lastOf(query, variables) : (await run(query, variables))['__typename']
    }
    expect(ends).toEqual({
      'payin-methods': undefined,
      'create-link': 'CreatePaymentLinkSuccess',
      'follow-link': 'CAUGHT_UP',
      payments: undefined,
      health: undefined,
      'create-payin': 'CreatePayinSuccess',
      'simulate-payin': 'SimulationAccepted',
    })
  })

  const guarded = examples.flatMap(({ name, query }) => {
    const [, scope = ''] = /^# Needs (\w+:\w+)/.exec(query) ?? []
    return isScope(scope) && !isStream(query) ? [{ name, query, scope }] : []
  })

  it.each(guarded)('say which scope they need: $name, $scope', async ({ name, query, scope }) => {
    const token = await network.token({ scopes: [scope] })
    expect((await network.ask(query, variablesOf(name), { token })).errors).toBeUndefined()
    const none = await network.token({ scopes: ALL_SCOPES.filter((other) => other !== scope) })
    const { errors } = await network.ask(query, variablesOf(name), { token: none })
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
  })

  it('say where no token is needed', async () => {
    const open = examples.find(({ query }) => query.startsWith('# Needs no token'))
    expect((await network.ask(open?.query ?? '', {}, { token: null })).errors).toBeUndefined()
    expect(guarded).toHaveLength(examples.length - 2)
  })

  async function lastOf(query: string, variables: Variables): Promise<unknown> {
    const stream = await network.follow(query, variables)
    const items = await stream.until(isCaughtUp)
    await stream.end()
    return items.at(-1)?.kind
  }

  async function run(query: string, variables: Variables): Promise<Variables> {
    const { data, errors } = await network.ask<Record<string, Variables>>(query, variables)
    expect(errors).toBeUndefined()
    return Object.values(data)[0] ?? {}
  }

  async function idOf(name: string, field: string): Promise<string> {
    const query = examples.find((example) => example.name === name)?.query ?? ''
    const result = (await run(query, variablesOf(name))) as Record<string, { readonly id: string } | undefined>
    await network.sandbox.settle()
    return result[field]?.id ?? ''
  }
})
