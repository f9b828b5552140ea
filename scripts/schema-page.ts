import { buildSubgraphSchema } from '@apollo/subgraph'
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isUnionType,
  parse,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql'
import { costOf, isPublic, listSizeOf, scopesOf, tagOf } from './schema-directives.ts'

type Field = GraphQLField<unknown, unknown>
type Operation = { readonly kind: 'query' | 'mutation' | 'subscription'; readonly field: Field }

/** Areas in page order: an operation belongs to the first area whose pattern matches its name. */
const AREAS: readonly { readonly title: string; readonly names: RegExp }[] = [
  {
    title: 'Links, payments and refunds',
    names:
      /Link|[gG]ateway|^payments?$|^paymentUpdates$|^paymentSearch$|DuplicatePayment$|^createPaymentsExport$|^(?!simulate)[a-z]+Pay(?:in|ment)$/,
  },
  { title: 'Methods and currencies', names: /Method|Currenc/ },
  { title: 'Payment agreements', names: /Agreement/ },
  { title: 'Payouts, accounts and banks', names: /payout|Payout|[bB]alance|bankLookup/ },
  { title: 'Customers, contacts and identity', names: /[cC]ustomer|[cC]ontact|[iI]dentity/ },
  { title: 'Objects of any type', names: /Node$/ },
  { title: 'Events and deliveries', names: /paymentEvent|[wW]ebhook/ },
  {
    title: 'Imports and reconciliation',
    names: /^importPayments$|^cancelPaymentImport$|^paymentImports?$|^reconciliationReport$/,
  },
  { title: 'Erasure of payers', names: /^erasePayer$|^payerErasures$|^erasablePayers$/ },
  { title: 'Signing keys', names: /^signingKeys$/ },
  { title: 'Statistics', names: /Statistics$/ },
  { title: 'Health', names: /Health$/ },
  { title: 'Sandbox', names: /^simulate/ },
]

const KINDS: readonly { readonly title: string; readonly is: (type: GraphQLNamedType) => boolean }[] = [
  { title: 'Objects', is: (type) => (isObjectType(type) || isInterfaceType(type)) && !isError(type) },
  { title: 'Errors', is: isError },
  { title: 'Results', is: isUnionType },
  { title: 'Inputs', is: isInputObjectType },
  { title: 'Enums', is: isEnumType },
  { title: 'Scalars', is: isScalarType },
]

/** The interface of all errors. */
const ERROR = 'PaymentsError'

const ROOTS: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Subscription'])

/** Returns the schema page in Markdown for an SDL; the result is deterministic. */
export function schemaPage(sdl: string): string {
  const schema = buildSubgraphSchema([{ typeDefs: parse(sdl) }])
  const operations = operationsOf(schema)
  const own = Object.values(schema.getTypeMap()).filter(isOurs)
  const areas = AREAS.map((area) => ({
    title: area.title,
    operations: operations.filter(({ field }) => areaOf(field) === area),
  }))
  return [
    INTRODUCTION,
    table(
      ['Area', 'Operations'],
      areas.map((area) => [
        `[${area.title}](#${anchor(area.title)})`,
        area.operations.map((operation) => `[\`${operation.field.name}\`](#${anchor(titleOf(operation))})`).join(', '),
      ]),
    ),
    ...areas.flatMap((area) => [`## ${area.title}`].concat(area.operations.map(operationText))),
    '## Types',
    ...KINDS.flatMap(({ title, is }) => [`### ${title}`].concat(own.filter(is).toSorted(byName).map(typeText))),
  ]
    .join('\n\n')
    .concat('\n')
}

const INTRODUCTION = `# Schema

For everyone who writes operations. Generated from [\`schema.graphql\`](../schema.graphql) by \`npm run docs:schema\`: change the schema, not this page. How it may
change stands in [Schema policy](schema-policy.md), how it is composed in [Federation](federation.md).

*Scope* names what a caller's token must carry: any of the alternatives. *Contract* names the tag: an app of customers is
given what is tagged \`checkout\` and what that leads to. *Cost* is the weight that the field adds to an operation, where it
has one of its own, and how many items a list counts for.`

function operationsOf(schema: GraphQLSchema): Operation[] {
  const fieldsOf = (kind: Operation['kind'], type: ReturnType<GraphQLSchema['getQueryType']>) =>
    Object.values(type?.getFields() ?? {})
      .filter(({ name }) => !name.startsWith('_'))
      .map((field) => ({ kind, field }))
  return [
    ...fieldsOf('query', schema.getQueryType()),
    ...fieldsOf('mutation', schema.getMutationType()),
    ...fieldsOf('subscription', schema.getSubscriptionType()),
  ]
}

function areaOf({ name }: Field): (typeof AREAS)[number] {
  const area = AREAS.find(({ names }) => names.test(name))
  if (area === undefined) throw new Error(`${name} belongs to no area of the page: name it in one.`)
  return area
}

/**
 * Returns the heading of an operation. It contains the kind, because an operation and a type may have the same name, and links need
 * different headings.
 */
function titleOf({ kind, field }: Operation): string {
  return `${kind} ${field.name}`
}

function operationText(operation: Operation): string {
  const { field } = operation
  const facts = [
    ['Gives', typeLink(String(field.type))],
    ['Scope', scopesOf(field.astNode) ?? 'none'],
    ['Contract', tagOf(field.astNode) ?? 'every one'],
    ['Cost', [costOf(field.astNode), listSizeOf(field.astNode)].filter((part) => part !== null).join(', ')],
    ['Cache', isPublic(field.astNode) ? 'the answer is the same for everyone' : ''],
    ['Errors', errorsOf(field).map(typeLink).join(', ')],
    ['Deprecated', field.deprecationReason ?? ''],
  ].filter(([, value]) => value !== '')
  const args = field.args.map((argument) => [
    `\`${argument.name}\``,
    typeLink(String(argument.type)),
    defaultOf(argument.astNode?.defaultValue),
    oneLine(argument.description),
  ])
  return [
    `### ${titleOf(operation)}`,
    oneLine(field.description),
    table(
      ['', ''],
      facts.map(([name = '', value = '']) => [name, value]),
    ),
    ...(args.length === 0 ? [] : [table(['Argument', 'Type', 'Default', 'Meaning'], args)]),
  ].join('\n\n')
}

function typeText(type: GraphQLNamedType): string {
  return [`#### ${type.name}`, oneLine(type.description), ...membersOf(type)].join('\n\n')
}

function membersOf(type: GraphQLNamedType): string[] {
  if (isUnionType(type))
    return [
      type
        .getTypes()
        .map(({ name }) => `- ${typeLink(name)}`)
        .join('\n'),
    ]
  if (isEnumType(type)) {
    const values = type.getValues().map(({ name, description }) => [`\`${name}\``, oneLine(description)])
    return [table(['Value', 'Meaning'], values)]
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields())
    const rows = fields.map((field) => [
      `\`${field.name}\``,
      typeLink(String(field.type)),
      defaultOf(field.astNode?.defaultValue),
      oneLine(field.description),
    ])
    return [table(['Field', 'Type', 'Default', 'Meaning'], rows)]
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  const rows = Object.values(type.getFields()).map((field) => [
    `\`${signature(field)}\``,
    typeLink(String(field.type)),
    scopesOf(field.astNode) ?? '',
    oneLine(field.description),
  ])
  return [table(['Field', 'Type', 'Scope', 'Meaning'], rows)]
}

function signature({ name, args }: Field): string {
  return args.length === 0 ? name : `${name}(${args.map((argument) => argument.name).join(', ')})`
}

/** Returns the names of the expected failures in the result type of an operation. */
function errorsOf({ type }: Field): string[] {
  const named = getNamedType(type)
  return isUnionType(named)
    ? named
        .getTypes()
        .filter(isError)
        .map(({ name }) => name)
    : []
}

function isError(type: GraphQLNamedType): boolean {
  return type.name === ERROR || (isObjectType(type) && type.getInterfaces().some(({ name }) => name === ERROR))
}

function isOurs(type: GraphQLNamedType): boolean {
  const isBuiltIn = isScalarType(type) && type.astNode === undefined
  return !isBuiltIn && !isIntrospectionType(type) && !/^_|__/.test(type.name) && !ROOTS.has(type.name)
}

function byName(one: GraphQLNamedType, other: GraphQLNamedType): number {
  return one.name < other.name ? -1 : 1
}

/** Returns a type as the schema writes it, with a link when the page describes it. */
function typeLink(type: string): string {
  const name = type.replaceAll(/[[\]!]/g, '')
  return /^(?:ID|String|Int|Float|Boolean)$/.test(name) ? `\`${type}\`` : `[\`${type}\`](#${anchor(name)})`
}

function defaultOf(value: { readonly kind: string; readonly value?: unknown } | undefined): string {
  return value === undefined ? '' : `\`${String(value.value)}\``
}

function oneLine(description: string | null | undefined): string {
  return (description ?? '').replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')
}

function anchor(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
