import {
  getArgumentValues,
  getDirectiveValues,
  getNullableType,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isAbstractType,
  isLeafType,
  isNonNullType,
  Kind,
  SchemaMetaFieldDef,
  typeFromAST,
  TypeMetaFieldDef,
  visit,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type InlineFragmentNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { completerOf } from './complete.ts'
import type { Arguments, Complete, FieldPlan, ObjectPlan, Run } from './run-plan.ts'

type Selecting = { readonly selectionSet?: SelectionSetNode | undefined }

/** The plan of an operation for one set of values of the variables in `@skip` and `@include`. */
export class OperationPlan {
  readonly schema: GraphQLSchema
  readonly root: ObjectPlan
  readonly #operation: OperationDefinitionNode
  readonly #fragments: Record<string, FragmentDefinitionNode> = {}
  readonly #conditions: Arguments
  #fieldCount = 0

  constructor(
    schema: GraphQLSchema,
    { document, node }: { readonly document: DocumentNode; readonly node: OperationDefinitionNode },
    conditions: Arguments,
  ) {
    this.schema = schema
    this.#operation = node
    this.#conditions = conditions
    for (const definition of document.definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments[definition.name.value] = definition
    const rootType = schema.getRootType(node.operation)
    if (rootType === null || rootType === undefined) throw new Error(`The schema has no ${node.operation}.`)
    this.root = this.objectPlan(rootType, [node])
  }

  /** Returns the plan of an object of this type at these nodes. */
  objectPlan(type: GraphQLObjectType, nodes: readonly Selecting[]): ObjectPlan {
    const found = new Map<string, FieldNode[]>()
    const visited = new Set<string>()
    for (const { selectionSet } of nodes)
      if (selectionSet !== undefined) this.#collect(type, selectionSet, { found, visited })
    const labels: string[] = []
    const fields: FieldPlan[] = []
    let label = '{'
    for (const [key, [first, ...others]] of found) {
      if (first === undefined) continue
      label += `${label.endsWith('{') ? '' : ','}${JSON.stringify(key)}:`
      if (first.name.value === '__typename') {
        label += `"${type.name}"`
        continue
      }
      fields.push(this.#fieldPlan(type, key, [first, ...others]))
      labels.push(label)
      label = ''
    }
    return { labels, fields, end: `${label}}` }
  }

  #collect(
    type: GraphQLObjectType,
    { selections }: SelectionSetNode,
    into: { readonly found: Map<string, FieldNode[]>; readonly visited: Set<string> },
  ): void {
    for (const selection of selections) {
      if (!this.#isIncluded(selection)) continue
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value
        into.found.set(key, [...(into.found.get(key) ?? []), selection])
        continue
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragment(selection, into.visited)
      if (fragment !== undefined && this.#matches(fragment, type)) this.#collect(type, fragment.selectionSet, into)
    }
  }

  /** Returns the fragment of a spread; undefined if this object already includes it. */
  #fragment({ name: { value } }: FragmentSpreadNode, visited: Set<string>): FragmentDefinitionNode | undefined {
    if (visited.has(value)) return undefined
    visited.add(value)
    return this.#fragments[value]
  }

  #isIncluded(node: FieldNode | FragmentSpreadNode | InlineFragmentNode): boolean {
    const skip = getDirectiveValues(GraphQLSkipDirective, node, this.#conditions)
    if (skip?.['if'] === true) return false
    return getDirectiveValues(GraphQLIncludeDirective, node, this.#conditions)?.['if'] !== false
  }

  #matches({ typeCondition }: FragmentDefinitionNode | InlineFragmentNode, type: GraphQLObjectType): boolean {
    if (typeCondition === undefined) return true
    const condition = typeFromAST(this.schema, typeCondition)
    return condition === type || (isAbstractType(condition) && this.schema.isSubType(condition, type))
  }

  #fieldPlan(parentType: GraphQLObjectType, key: string, nodes: readonly [FieldNode, ...FieldNode[]]): FieldPlan {
    const name = nodes[0].name.value
    const definition = parentType.getFields()[name] as GraphQLField<unknown, unknown> | undefined
    if (definition === undefined) throw new Error(`${parentType.name} has no ${name}.`)
    const infoFor = this.#infoReader(definition, { parentType, nodes })
    const plans = new Map<GraphQLObjectType, ObjectPlan>()
    const planOf = (type: GraphQLObjectType) => {
      const known = plans.get(type) ?? this.objectPlan(type, nodes)
      plans.set(type, known)
      return known
    }
    const plan: { -readonly [Name in keyof FieldPlan]: FieldPlan[Name] } = {
      key,
      coordinate: `${parentType.name}.${name}`,
      nodes,
      nonNull: isNonNullType(definition.type),
      isLeaf: isLeafType(getNullableType(definition.type)),
      resolve: resolver(definition, this.#argumentsReader(definition, nodes[0]), infoFor),
      infoFor,
      complete: UNKNOWN,
      planOf,
    }
    plan.complete = completerOf(definition.type, plan, this.schema)
    return plan
  }

  /** Returns the reader of `info`, which is created once per execution. */
  #infoReader(
    { name, type }: GraphQLField<unknown, unknown>,
    { parentType, nodes }: { readonly parentType: GraphQLObjectType; readonly nodes: readonly FieldNode[] },
  ): FieldPlan['infoFor'] {
    const number = this.#fieldCount++
    const common = {
      fieldName: name,
      fieldNodes: nodes,
      returnType: type,
      parentType,
      schema: this.schema,
      fragments: this.#fragments,
      operation: this.#operation,
    }
    return (run) => (run.infos[number] ??= new ResolveInfo(common, run))
  }

  /** Returns the reader of the arguments. They are coerced once if none contains a variable, otherwise once per execution. */
  #argumentsReader({ args }: GraphQLField<unknown, unknown>, node: FieldNode): (run: Run) => Arguments {
    const given = { args } as GraphQLField<unknown, unknown>
    if (!usesVariables(node)) {
      let known: Arguments | null = null
      return () => (known ??= deeplyFrozen(getArgumentValues(given, node)))
    }
    const number = this.#fieldCount++
    const byName = variablesByArgument(given, node)
    return (run) =>
      (run.args[number] ??=
        (byName === null ? null : argumentsFrom(run.variables, byName)) ??
        getArgumentValues(given, node, run.variables))
  }
}

/** Returns the variable of each argument, if every given one is a variable and the others have no value; otherwise null. */
function variablesByArgument(
  { args }: GraphQLField<unknown, unknown>,
  { arguments: given = [] }: FieldNode,
): ReadonlyMap<string, string> | null {
  const byName = new Map<string, string>()
  for (const { name, value } of given) if (value.kind === Kind.VARIABLE) byName.set(name.value, value.name.value)
  return args.every(({ name, defaultValue, type }) =>
    given.some((argument) => argument.name.value === name)
      ? byName.has(name)
      : defaultValue === undefined && !isNonNullType(type),
  )
    ? byName
    : null
}

/** Returns the values of these variables by argument; null if one of them has none, for which an argument has rules of its own. */
function argumentsFrom(variables: Arguments, byName: ReadonlyMap<string, string>): Arguments | null {
  const values: Record<string, unknown> = {}
  for (const [name, variable] of byName) {
    const value = Object.hasOwn(variables, variable) ? variables[variable] : null
    if (value === undefined || value === null) return null
    values[name] = value
  }
  return values
}

type FieldInfo = Omit<GraphQLResolveInfo, 'path' | 'rootValue' | 'variableValues'>

/** The `info` of a field in one execution. All objects of the field share it, so it has no path. */
class ResolveInfo implements GraphQLResolveInfo {
  readonly fieldName: string
  readonly fieldNodes: readonly FieldNode[]
  readonly returnType: GraphQLOutputType
  readonly parentType: GraphQLObjectType
  readonly schema: GraphQLSchema
  readonly fragments: GraphQLResolveInfo['fragments']
  readonly operation: OperationDefinitionNode
  readonly rootValue: unknown
  readonly variableValues: GraphQLResolveInfo['variableValues']

  constructor(field: FieldInfo, { rootValue, variables }: Run) {
    this.fieldName = field.fieldName
    this.fieldNodes = field.fieldNodes
    this.returnType = field.returnType
    this.parentType = field.parentType
    this.schema = field.schema
    this.fragments = field.fragments
    this.operation = field.operation
    this.rootValue = rootValue
    this.variableValues = variables
  }

  get path(): never {
    throw new Error('The planned executor has no info.path: use createLibraryExecutor for a schema that needs it.')
  }
}

const UNKNOWN: Complete = () => {
  throw new Error('The plan is not complete.')
}

function resolver(
  { name, resolve }: GraphQLField<unknown, unknown>,
  argumentsOf: (run: Run) => Arguments,
  infoFor: FieldPlan['infoFor'],
): FieldPlan['resolve'] {
  if (resolve !== undefined) return (run, source) => resolve(source, argumentsOf(run), run.context, infoFor(run))
  return (run, source) => {
    // The default resolver of graphql-js.
    const value = (source as Readonly<Record<string, unknown>> | null | undefined)?.[name]
    if (typeof value !== 'function') return value
    return (source as Record<string, (...given: unknown[]) => unknown>)[name]?.(
      argumentsOf(run),
      run.context,
      infoFor(run),
    )
  }
}

/** Freezes a value and everything in it, and returns it: arguments without variables are shared by all executions. */
function deeplyFrozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of Object.values(value)) deeplyFrozen(part)
  return value
}

function usesVariables(node: FieldNode): boolean {
  let found = false
  for (const argument of node.arguments ?? [])
    visit(argument, {
      Variable() {
        found = true
      },
    })
  return found
}

/** Returns the names of the variables in `@skip` and `@include`, which decide which fields are executed. */
export function conditionVariables(document: DocumentNode): readonly string[] {
  const names = new Set<string>()
  visit(document, {
    Directive({ name, arguments: given = [] }) {
      if (name.value !== 'skip' && name.value !== 'include') return
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value)
    },
  })
  return [...names]
}

/** Returns whether a document uses introspection, whose resolvers need the executor of graphql-js. */
export function asksForSchema(document: DocumentNode): boolean {
  let found = false
  visit(document, {
    Field({ name: { value } }) {
      if (value === SchemaMetaFieldDef.name || value === TypeMetaFieldDef.name) found = true
    },
  })
  return found
}
