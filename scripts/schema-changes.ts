import { buildSubgraphSchema } from '@apollo/subgraph'
import { CriticalityLevel, diff, DiffRule, type Change, type Rule } from '@graphql-inspector/core'
import { parse, type GraphQLSchema } from 'graphql'

/** One change between two schemas: its type, the schema coordinate, and a sentence. */
export type SchemaChange = { readonly type: string; readonly path: string; readonly message: string }

/** A dangerous change that was reviewed and approved. */
export type Approval = { readonly type: string; readonly path: string; readonly reason: string }

/** Breaking changes fail callers or other subgraphs; dangerous ones may fail callers that make narrow assumptions. */
export type SchemaChanges = { readonly breaking: readonly SchemaChange[]; readonly dangerous: readonly SchemaChange[] }

/** Enums that, by the schema's promise, never get new values, so that a released app can switch over them. */
const FROZEN_ENUMS: ReadonlySet<string> = new Set(['PaymentPhase'])

/** Returns the changes from one SDL to another that affect callers or other subgraphs. Harmless changes are left out. */
export async function schemaChanges(released: string, current: string): Promise<SchemaChanges> {
  const rules = [DiffRule.suppressRemovalOfDeprecatedField, holdPromises]
  const changes = (await diff(build(released), build(current), rules)).filter((change) => !isForRoutersAlone(change))
  const atLevel = (level: CriticalityLevel) =>
    changes.filter(({ criticality }) => criticality.level === level).map(short)
  return { breaking: atLevel(CriticalityLevel.Breaking), dangerous: atLevel(CriticalityLevel.Dangerous) }
}

/** Returns dangerous changes without an approval, and approvals without a matching change. */
export function compareApprovals(dangerous: readonly SchemaChange[], approvals: readonly Approval[]) {
  const isSame = (change: SchemaChange) => (approval: Approval) =>
    approval.type === change.type && approval.path === change.path && approval.reason.trim() !== ''
  return {
    unapproved: dangerous.filter((change) => !approvals.some(isSame(change))),
    unused: approvals.filter((approval) => !dangerous.some((change) => isSame(change)(approval))),
  }
}

/** Marks changes as breaking that the default rules call dangerous, but that break a caller or a subgraph in any case here. */
const holdPromises: Rule = ({ changes }) =>
  changes.map((change) =>
    isBroken(change) ? { ...change, criticality: { ...change.criticality, level: CriticalityLevel.Breaking } } : change,
  )

function isBroken({ type, path = '', criticality }: Change): boolean {
  if (criticality.level !== CriticalityLevel.Dangerous) return false
  if (type === 'ENUM_VALUE_ADDED') return FROZEN_ENUMS.has(path.split('.')[0] ?? '')
  // Other subgraphs refer to the type by this key.
  if (type === 'DIRECTIVE_USAGE_OBJECT_REMOVED') return /\.@(?:key|shareable)$/.test(path)
  // Callers without the scope that read the field before are refused with the new schema.
  return type === 'DIRECTIVE_USAGE_FIELD_DEFINITION_ADDED' && path.endsWith('.@requiresScopes')
}

/** Returns whether a change concerns only routers: a new entity extends a union that callers cannot select from. */
function isForRoutersAlone({ type, path }: Change): boolean {
  return type === 'UNION_MEMBER_ADDED' && path === '_Entity'
}

function short({ type, path = '', message }: Change): SchemaChange {
  return { type, path, message }
}

function build(sdl: string): GraphQLSchema {
  return buildSubgraphSchema([{ typeDefs: parse(sdl) }])
}
