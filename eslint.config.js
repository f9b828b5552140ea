import { readFileSync } from 'node:fs'
import { buildSubgraphSchema } from '@apollo/subgraph'
import graphql, { parser } from '@graphql-eslint/eslint-plugin'
import { parse, printSchema } from 'graphql'

// The plugin loads a federation schema in a way that @apollo/subgraph no longer takes, so it gets the finished schema.
const schema = printSchema(buildSubgraphSchema([{ typeDefs: parse(readFileSync('schema.graphql', 'utf8')) }]))

/**
 * Lints the contract, and nothing else: TypeScript is oxlint's. Left out are the rules that know no federation
 * directives (known-directives, no-unreachable-types), and those that ask for what we do not want: a date on
 * `@deprecated`, which has no such argument, and one-line descriptions.
 */
export default [
  { ignores: ['**/*', '!schema.graphql'] },
  {
    files: ['schema.graphql'],
    plugins: { graphql },
    languageOptions: { parser, parserOptions: { graphQLConfig: { schema } } },
    rules: {
      // A client's code generator shows the descriptions where the field is used.
      'graphql/require-description': [
        'error',
        {
          types: true,
          rootField: true,
          FieldDefinition: true,
          InputValueDefinition: true,
          EnumValueDefinition: true,
          DirectiveDefinition: true,
        },
      ],
      // A comment with a hash in the place of a description reaches nobody.
      'graphql/no-hashtag-description': 'error',
      // One spelling everywhere, and no verbs before what is read: GraphQL says query already.
      'graphql/naming-convention': [
        'error',
        {
          types: 'PascalCase',
          FieldDefinition: 'camelCase',
          'FieldDefinition[parent.name.value=Query]': {
            style: 'camelCase',
            forbiddenPrefixes: ['get', 'list', 'fetch'],
          },
          InputValueDefinition: 'camelCase',
          Argument: 'camelCase',
          DirectiveDefinition: 'camelCase',
          EnumValueDefinition: 'UPPER_CASE',
        },
      ],
      'graphql/no-typename-prefix': 'error',
      // Enum values that differ in case alone collide in generated code.
      'graphql/unique-enum-value-names': 'error',
      // A mutation that gives a scalar can never say more without a break.
      'graphql/no-scalar-result-type-on-mutation': 'error',
      // A root field that is not nullable takes its neighbours along when it fails.
      'graphql/require-nullable-result-in-root': 'error',
      // Whoever is told to leave a field has to be told where to go.
      'graphql/require-deprecation-reason': 'error',
      // Client caches page by these shapes; lists are paged forward only, and give nodes beside edges.
      'graphql/relay-connection-types': 'error',
      'graphql/relay-edge-types': [
        'error',
        { withEdgeSuffix: true, shouldImplementNode: false, listTypeCanWrapOnlyEdgeType: false },
      ],
      'graphql/relay-arguments': ['error', { includeBoth: false }],
      'graphql/relay-page-info': 'error',
    },
  },
]
