import { type DefinitionNode, type DocumentNode, Kind, type ObjectTypeDefinitionNode, parse } from 'graphql'

/** The definitions of the specifications that the schema links, under the names that it imports: link v1.0, federation v2.9. */
const SPECIFICATIONS = /* GraphQL */ `
  directive @link(url: String, as: String, for: link__Purpose, import: [link__Import]) repeatable on SCHEMA

  scalar link__Import

  enum link__Purpose {
    """
    \`SECURITY\` features provide metadata necessary to securely resolve fields.
    """
    SECURITY
    """
    \`EXECUTION\` features provide metadata necessary for operation execution.
    """
    EXECUTION
  }

  scalar federation__FieldSet

  directive @key(fields: federation__FieldSet!, resolvable: Boolean = true) repeatable on OBJECT | INTERFACE

  directive @federation__requires(fields: federation__FieldSet!) on FIELD_DEFINITION

  directive @federation__provides(fields: federation__FieldSet!) on FIELD_DEFINITION

  directive @federation__external on OBJECT | FIELD_DEFINITION

  directive @federation__extends on OBJECT | INTERFACE

  directive @federation__inaccessible on FIELD_DEFINITION | OBJECT | INTERFACE | UNION | ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION

  directive @shareable repeatable on OBJECT | FIELD_DEFINITION

  directive @federation__override(from: String!, label: String) on FIELD_DEFINITION

  directive @tag(
    name: String!
  ) repeatable on FIELD_DEFINITION | INTERFACE | OBJECT | UNION | ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION | SCHEMA

  directive @federation__composeDirective(name: String) repeatable on SCHEMA

  directive @federation__interfaceObject on OBJECT

  scalar federation__Scope

  directive @authenticated on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM

  directive @requiresScopes(scopes: [[federation__Scope!]!]!) on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM

  scalar federation__Policy

  directive @federation__policy(
    policies: [[federation__Policy!]!]!
  ) on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM

  scalar federation__ContextFieldValue

  directive @federation__context(name: String!) repeatable on INTERFACE | OBJECT | UNION

  directive @federation__fromContext(field: federation__ContextFieldValue) on ARGUMENT_DEFINITION

  directive @cost(
    weight: Int!
  ) on ARGUMENT_DEFINITION | ENUM | FIELD_DEFINITION | INPUT_FIELD_DEFINITION | OBJECT | SCALAR

  directive @listSize(
    assumedSize: Int
    slicingArguments: [String!]
    sizedFields: [String!]
    requireOneSlicingArgument: Boolean = true
  ) on FIELD_DEFINITION
`

const ENTRANCE = /* GraphQL */ `
  type _Service {
    sdl: String
  }

  scalar _Any

  union _Entity = ENTITIES

  extend type Query {
    _entities(representations: [_Any!]!): [_Entity]!
    _service: _Service!
  }
`

/**
 * Returns the document of the whole subgraph: these definitions, those of the specifications, and the fields that routers use. A test
 * compares it with that of @apollo/subgraph, which would load 80 modules and validate the whole schema at each start.
 */
export function withFederation({ definitions }: DocumentNode): DocumentNode {
  const entities = definitions.filter(isEntity).map(({ name }) => name.value)
  const entrance = ENTRANCE.replace('ENTITIES', entities.toSorted().join(' | '))
  const added = parse(SPECIFICATIONS + entrance, { noLocation: true })
  return { kind: Kind.DOCUMENT, definitions: [...definitions, ...added.definitions] }
}

function isEntity(node: DefinitionNode): node is ObjectTypeDefinitionNode {
  return node.kind === Kind.OBJECT_TYPE_DEFINITION && node.directives?.some(({ name }) => name.value === 'key') === true
}
