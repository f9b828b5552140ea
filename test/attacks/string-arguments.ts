import { randomUUID } from 'node:crypto'
import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
} from 'graphql'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import {
  agreementInput,
  amendmentInput,
  contactInput,
  customerInput,
  gatewayInput,
  identityInput,
  newKey,
  payinInput,
  payoutInput,
} from '../support/inputs.ts'
import { linkInput } from '../support/operations.ts'
import { payoutFileInput } from '../support/payouts.ts'

/** A place in the schema's arguments that takes text from the client. */
export type TextPlace = {
  readonly kind: 'query' | 'mutation' | 'subscription'
  /** For example `createPaymentLink.input.customer.email`. */
  readonly name: string
  readonly scalar: string
  readonly document: string
  /** Returns the variables of an otherwise valid request, with `text` in this place. */
  readonly variables: (text: string) => Record<string, unknown>
}

type Path = readonly (string | number)[]
type Leaf = { readonly path: Path; readonly scalar: string }

const schema = createSchema({ production: false })

/** Scalars that are written as text, or contain text. */
const TEXTS: Readonly<Record<string, (text: string) => unknown>> = {
  ID: (text) => text,
  String: (text) => text,
  Decimal: (text) => text,
  CurrencyCode: (text) => text,
  LocalDate: (text) => text,
  DateTime: (text) => text,
  HttpsUrl: (text) => text,
  JSONObject: (text) => ({ user_name: text, [text]: text, nested: { $ne: text } }),
}

const GOOD: Readonly<Record<string, unknown>> = {
  ID: randomUUID(),
  String: 'text',
  Int: 1,
  Boolean: false,
  Decimal: '125.50',
  CurrencyCode: 'AUD',
  LocalDate: '2030-01-31',
  DateTime: '2030-01-31T00:00:00.000Z',
  HttpsUrl: 'https://shop.example.test/',
  JSONObject: {},
}

/** Inputs that pass every check, so that a text in one place of them is processed as far as possible. */
const INPUTS: Readonly<Record<string, () => Record<string, unknown>>> = {
  createPaymentLink: linkInput,
  createPayin: payinInput,
  createGatewayPayment: gatewayInput,
  createPaymentAgreement: agreementInput,
  amendPaymentAgreement: () => amendmentInput(randomUUID()),
  createPayout: payoutInput,
  createPayoutFromFile: payoutFileInput,
  createPaymentCustomer: customerInput,
  createPaymentContact: contactInput,
  requestIdentityCheck: () => identityInput('ada@example.test'),
  cancelPayin: () => ({ idempotencyKey: newKey(), paymentId: randomUUID() }),
  cancelScheduledPayout: () => ({ idempotencyKey: newKey(), id: randomUUID() }),
}

/** Returns every argument of every root field that takes text, down to the leaves of its inputs, as read from the schema. */
export function textPlaces(): TextPlace[] {
  return (['query', 'mutation', 'subscription'] as const).flatMap((kind) => {
    const root = {
      query: schema.getQueryType(),
      mutation: schema.getMutationType(),
      subscription: schema.getSubscriptionType(),
    }[kind]
    return Object.values(root?.getFields() ?? {})
      .filter(({ name }) => !name.startsWith('_'))
      .flatMap((field) => placesOf(kind, field))
  })
}

/** A place in the arguments of a mutation: a leaf, or an input or list around others. */
export type InputPlace = {
  /** For example `createPaymentLink.input.customer`. */
  readonly name: string
  /** The type of its value, without its `!`. */
  readonly type: string
  readonly document: string
  /** Variables of an otherwise valid request, the same for all places of the mutation. */
  readonly good: Record<string, unknown>
  /** Returns them with a value in this place. */
  readonly variables: (value: unknown) => Record<string, unknown>
}

/** Returns every place in the arguments of every mutation, as read from the schema. */
export function inputPlaces(): InputPlace[] {
  return Object.values(schema.getMutationType()?.getFields() ?? {}).flatMap((field) => {
    const good = goodArguments(field)
    const document = documentOf('mutation', field)
    const places = field.args.flatMap((argument) => placesIn(argument.type, [argument.name]))
    return places.map(({ path, type }) => ({
      name: [field.name, ...path].join('.'),
      type,
      document,
      good,
      variables: (value) => withValue(good, path, value),
    }))
  })
}

function placesIn(type: GraphQLInputType, path: Path): { readonly path: Path; readonly type: string }[] {
  const bare = getNullableType(type)
  const here = { path, type: String(bare) }
  if (isListType(bare)) return [here, ...placesIn(bare.ofType, [...path, 0])]
  const fields = isInputObjectType(bare) ? Object.values(bare.getFields()) : []
  return [here, ...fields.flatMap((field) => placesIn(field.type, [...path, field.name]))]
}

function placesOf(kind: TextPlace['kind'], field: GraphQLField<unknown, unknown>): TextPlace[] {
  const document = documentOf(kind, field)
  return field.args.flatMap((argument) =>
    leavesOf(argument.type, [argument.name]).map(({ path, scalar }) => ({
      kind,
      name: [field.name, ...path].join('.'),
      scalar,
      document,
      variables: (text) => withValue(goodArguments(field), path, TEXTS[scalar]?.(text)),
    })),
  )
}

function documentOf(kind: TextPlace['kind'], { name, args, type }: GraphQLField<unknown, unknown>): string {
  const declared = args.map((argument) => `$${argument.name}: ${String(argument.type)}`).join(', ')
  const passed = args.map((argument) => `${argument.name}: $${argument.name}`).join(', ')
  const selection = isCompositeType(getNamedType(type)) ? ' { __typename }' : ''
  return `${kind} Attack(${declared}) { ${name}(${passed})${selection} }`
}

function leavesOf(type: GraphQLInputType, path: Path): Leaf[] {
  const bare = getNullableType(type)
  if (isListType(bare)) return leavesOf(bare.ofType, [...path, 0])
  if (isInputObjectType(bare))
    return Object.values(bare.getFields()).flatMap((field) => leavesOf(field.type, [...path, field.name]))
  return bare.name in TEXTS ? [{ path, scalar: bare.name }] : []
}

function goodArguments({ name, args }: GraphQLField<unknown, unknown>): Record<string, unknown> {
  const input = INPUTS[name]
  if (input !== undefined) return { input: input() }
  return Object.fromEntries(args.filter(isNeeded).map((argument) => [argument.name, goodValue(argument.type)]))
}

function isNeeded({ type, defaultValue }: Pick<GraphQLArgument, 'type' | 'defaultValue'>): boolean {
  return isNonNullType(type) && defaultValue === undefined
}

function goodValue(type: GraphQLInputType): unknown {
  const bare = getNullableType(type)
  if (isListType(bare)) return [goodValue(bare.ofType)]
  if (isEnumType(bare)) return bare.getValues()[0]?.name
  if (!isInputObjectType(bare)) return GOOD[bare.name]
  const needed = Object.values(bare.getFields()).filter(isNeeded)
  return Object.fromEntries(needed.map((field) => [field.name, goodValue(field.type)]))
}

/** Returns a copy with a value at a path. Missing inputs on the way are created with that one field, missing lists with one item. */
function withValue(container: unknown, [step, ...rest]: Path, value: unknown): Record<string, unknown> {
  if (step === undefined) return value as Record<string, unknown>
  if (typeof step === 'number') return [withValue((container as unknown[] | undefined)?.[0], rest, value)] as never
  const known = (container ?? {}) as Record<string, unknown>
  return { ...known, [step]: withValue(known[step], rest, value) }
}
