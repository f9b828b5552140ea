import { join } from 'node:path'
import {
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isTypeDefinitionNode,
  Kind,
  type GraphQLSchema,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { composers, customers, orders, payments, subgraph, type Composed } from './composers.ts'
import { coordinatesOf, reachableTypes, scopedFields, tagsOf } from './schema-parts.ts'

/** The tags that each contract hides. Contracts are made by exclusion: what has no tag belongs to all of them. */
const HIDDEN = {
  checkout: ['backoffice', 'operator', 'sandbox'],
  backoffice: ['operator', 'sandbox'],
  operator: ['sandbox'],
  sandbox: [],
} as const

const everyone = [payments, orders, customers]

describe.each(composers)('contracts by $name', (composer) => {
  const whole = coordinatesOf(schemaOf(composer.compose([payments])))
  const checkout = schemaOf(composer.contract([payments], { exclude: HIDDEN.checkout }))
  const backoffice = schemaOf(composer.contract([payments], { exclude: HIDDEN.backoffice }))
  const operator = schemaOf(composer.contract([payments], { exclude: HIDDEN.operator }))
  const sandbox = schemaOf(composer.contract([payments], { exclude: HIDDEN.sandbox }))

  it.each(Object.entries(HIDDEN))('composes %s, alone and with other subgraphs', (_contract, exclude) => {
    for (const subgraphs of [[payments], everyone]) {
      const { errors, hints } = composer.contract(subgraphs, { exclude })
      expect(errors).toEqual([])
      expect(hints).toEqual([])
    }
  })

  it('shows a customer’s app what it needs, and nothing of a back office', async () => {
    await expect(coordinatesOf(checkout).join('\n') + '\n').toMatchFileSnapshot(
      join(import.meta.dirname, 'contracts/checkout.txt'),
    )
  })

  it('asks no scope of a customer’s app', () => {
    const shown = new Set(coordinatesOf(checkout))
    const scoped = scopedFields(payments.typeDefs)
    expect(scoped.length).toBeGreaterThan(25)
    expect(scoped.filter((coordinate) => shown.has(coordinate))).toEqual([])
  })

  it('shows a back office the business, and not the operation of this service', () => {
    const shown = new Set(coordinatesOf(backoffice))
    for (const field of ['refundPayment', 'createPaymentsExport', 'createPayout'])
      expect(shown).toContain(`Mutation.${field}`)
    const ofOperators = /SigningKey|Webhook|Import|Reconciliation|Eras|Health|Backlog|OpenStreams|Simulat/i
    expect([...shown].filter((coordinate) => ofOperators.test(coordinate))).toEqual([])
  })

  it('shows an operator everything but the simulations', () => {
    const shown = new Set(coordinatesOf(operator))
    const hidden = whole.filter((coordinate) => !shown.has(coordinate))
    expect(hidden.filter((coordinate) => !/Simulat|simulat|PaymentsSandboxOnlyError/.test(coordinate))).toEqual([])
    expect(hidden).toContain('Mutation.simulatePayin')
    expect(hidden).toContain('Mutation.simulateDeposit')
  })

  it('shows everything in the sandbox', () => {
    expect(coordinatesOf(sandbox)).toEqual(whole)
  })

  it('shows what has no tag in every contract that reaches it', () => {
    for (const schema of [checkout, backoffice, operator, sandbox]) {
      const shown = coordinatesOf(schema)
      expect(shown).toContain('PaymentAmount.value')
      expect(shown).toContain('PageInfo.endCursor')
    }
  })

  it('leaves no name of a back office in a customer’s app, reached or not', () => {
    const reached = reachableTypes(checkout)
    const left = Object.values(checkout.getTypeMap()).filter(
      (type) =>
        (isObjectType(type) || isInputObjectType(type)) && !isIntrospectionType(type) && !reached.has(type.name),
    )
    expect(left.filter(({ name }) => !name.endsWith('Error') && name !== 'PaymentsFieldProblem')).toEqual([])
  })

  it('does not compose when another team’s field leads to a hidden type without saying so', () => {
    const careless = subgraph(
      'careless',
      `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
       type PaymentPayout @key(fields: "id", resolvable: false) { id: ID! }
       type Query { payoutOfTheDay: PaymentPayout }`,
    )
    const { errors } = composer.contract([payments, careless], { exclude: HIDDEN.checkout })
    expect(errors.join(' ')).toContain('payoutOfTheDay')
    expect(composer.contract([payments, careless], { exclude: HIDDEN.backoffice }).errors).toEqual([])
  })

  it('does not compose a contract made by inclusion: that hides what has no tag, scalars too', () => {
    const { errors } = composer.contract([payments], { include: ['checkout'] })
    expect(errors.join(' ')).toContain('CurrencyCode')
  })
})

describe('tags', () => {
  const tags = tagsOf(payments.typeDefs)
  const definitions = payments.typeDefs.definitions.filter(isTypeDefinitionNode)

  it('are those that contracts are made of', () => {
    expect(new Set(Object.values(tags).flat())).toEqual(new Set(Object.keys(HIDDEN)))
  })

  it('stand on every root field, one each', () => {
    const roots = definitions.flatMap((type) =>
      type.kind === Kind.OBJECT_TYPE_DEFINITION && /^(?:Query|Mutation|Subscription)$/.test(type.name.value)
        ? (type.fields ?? []).map((field) => `${type.name.value}.${field.name.value}`)
        : [],
    )
    expect(roots.length).toBeGreaterThan(30)
    expect(roots.filter((coordinate) => tags[coordinate]?.length !== 1)).toEqual([])
  })

  it('never stand on a scalar: it may be another subgraph’s as well', () => {
    const scalars = definitions.filter(({ kind }) => kind === Kind.SCALAR_TYPE_DEFINITION)
    expect(scalars.filter(({ name }) => tags[name.value] !== undefined)).toEqual([])
  })
})

function schemaOf({ schema, errors }: Composed): GraphQLSchema {
  if (schema === null) throw new Error(`It does not compose: ${errors.join(' ')}`)
  return schema
}
