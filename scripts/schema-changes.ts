import { buildSubgraphSchema } from '@apollo/subgraph'
import { CriticalityLevel, diff, DiffRule, type Change, type Rule } from '@graphql-inspector/core'
import { parse, type GraphQLSchema } from 'graphql'

/** One change between two schemas: its kind, the coordinate that it is about, and a sentence. */
export type SchemaChange = { readonly type: string; readonly path: string; readonly message: string }

/** A dangerous change that somebody has thought about. */
export type Approval = { readonly type: string; readonly path: string; readonly reason: string }

/** Breaking changes fail callers or other subgraphs; dangerous ones may surprise a caller that was built too narrowly. */
export type SchemaChanges = { readonly breaking: readonly SchemaChange[]; readonly dangerous: readonly SchemaChange[] }

/** Enums of which the schema promises that they never grow, so that an app which has shipped can switch over them. */
const FROZEN_ENUMS: ReadonlySet<string> = new Set(['PaymentPhase'])

/** What has changed for callers and for other subgraphs from one SDL to another. Harmless changes are left out. */
export async function schemaChanges(released: string, current: string): Promise<SchemaChanges> {
  const rules = [DiffRule.suppressRemovalOfDeprecatedField, holdPromises]
  const changes = (await diff(build(released), build(current), rules)).filter((change) => !isForRoutersAlone(change))
  const atLevel = (level: CriticalityLevel) =>
    changes.filter(({ criticality }) => criticality.level === level).map(short)
  return { breaking: atLevel(CriticalityLevel.Breaking), dangerous: atLevel(CriticalityLevel.Dangerous) }
}

/** Dangerous changes that nobody has approved, and approvals of changes that are not there. */
export function compareApprovals(dangerous: readonly SchemaChange[], approvals: readonly Approval[]) {
  const isSame = (change: SchemaChange) => (approval: Approval) =>
    approval.type === change.type && approval.path === change.path && approval.reason.trim() !== ''
  return {
    unapproved: dangerous.filter((change) => !approvals.some(isSame(change))),
    unused: approvals.filter((approval) => !dangerous.some((change) => isSame(change)(approval))),
  }
}

/** The general rules call these dangerous; here they break somebody for certain. */
const holdPromises: Rule = ({ changes }) =>
  changes.map((change) =>
    isBroken(change) ? { ...change, criticality: { ...change.criticality, level: CriticalityLevel.Breaking } } : change,
  )

function isBroken({ type, path = '', criticality }: Change): boolean {
  if (criticality.level !== CriticalityLevel.Dangerous) return false
  if (type === 'ENUM_VALUE_ADDED') return FROZEN_ENUMS.has(path.split('.')[0] ?? '')
  // Another subgraph refers to the type by this key.
  if (type === 'DIRECTIVE_USAGE_OBJECT_REMOVED') return /\.@(?:key|shareable)$/.test(path)
  // Whoever read the field without the scope is refused from now on.
  return type === 'DIRECTIVE_USAGE_FIELD_DEFINITION_ADDED' && path.endsWith('.@requiresScopes')
}

/** A new entity joins a union that no caller can select from. */
function isForRoutersAlone({ type, path }: Change): boolean {
  return type === 'UNION_MEMBER_ADDED' && path === '_Entity'
}

function short({ type, path = '', message }: Change): SchemaChange {
  return { type, path, message }
}

function build(sdl: string): GraphQLSchema {
  return buildSubgraphSchema([{ typeDefs: parse(sdl) }])
}
