import {
  getVariableValues,
  isInputType,
  isListType,
  isNonNullType,
  isInputObjectType,
  typeFromAST,
  valueFromAST,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql'

type Values = Readonly<Record<string, unknown>>
type Options = Parameters<typeof getVariableValues>[3]

/** Coerces the values of an operation's variables, as `getVariableValues` of graphql-js does. */
export type CoerceVariables = (node: OperationDefinitionNode, values: Values) => ReturnType<typeof getVariableValues>

/** Marks a value whose coercion is left to graphql-js: an invalid value, or a valid form that is rare. */
const UNUSUAL = Symbol('unusual')

/** Returns the coerced value, or `UNUSUAL`. */
type Coerce = (value: unknown) => unknown

type Variable = {
  readonly name: string
  readonly type: GraphQLInputType
  readonly coerce: Coerce
  readonly defaultValue: ValueNode | undefined
}

/** Creates the coercion, compiled once per operation. If a value is `UNUSUAL`, graphql-js coerces all variables and reports the errors. */
export function createVariableCoercion(schema: GraphQLSchema, options: Options): CoerceVariables {
  const compile = createCompiler()
  const variablesOf = new WeakMap<OperationDefinitionNode, readonly Variable[] | null>()
  const compiled = (node: OperationDefinitionNode) => {
    const known = variablesOf.get(node)
    if (known !== undefined) return known
    const variables: Variable[] = []
    for (const { variable, type: typeNode, defaultValue } of node.variableDefinitions ?? []) {
      const type = typeFromAST(schema, typeNode)
      if (isInputType(type)) variables.push({ name: variable.name.value, type, coerce: compile(type), defaultValue })
    }
    const all = variables.length === (node.variableDefinitions ?? []).length ? variables : null
    variablesOf.set(node, all)
    return all
  }
  return (node, values) => {
    const coerced = coercedBy(compiled(node), values)
    return coerced === null ? getVariableValues(schema, node.variableDefinitions ?? [], values, options) : { coerced }
  }
}

function coercedBy(variables: readonly Variable[] | null, values: Values): Record<string, unknown> | null {
  if (variables === null) return null
  const coerced: Record<string, unknown> = {}
  for (const { name, type, coerce, defaultValue } of variables) {
    // An assignment to this name would set the prototype.
    if (name === '__proto__') return null
    if (Object.hasOwn(values, name)) {
      const value = coerce(values[name])
      if (value === UNUSUAL) return null
      coerced[name] = value
    } else if (defaultValue !== undefined) coerced[name] = valueFromAST(defaultValue, type)
    else if (isNonNullType(type)) return null
  }
  return coerced
}

function createCompiler() {
  const ofObjects = new Map<GraphQLInputObjectType, Coerce>()
  const compile = (type: GraphQLInputType): Coerce => {
    if (isNonNullType(type)) {
      const coerce = compile(type.ofType)
      return (value) => (value === null || value === undefined ? UNUSUAL : coerce(value))
    }
    const coerce = compilePresent(type)
    return (value) => (value === null || value === undefined ? null : coerce(value))
  }
  const compilePresent = (type: GraphQLInputType): Coerce => {
    if (isListType(type)) return listCoercion(compile(type.ofType))
    if (isInputObjectType(type)) return objectCoercion(type)
    return (value) => {
      try {
        const parsed: unknown = 'parseValue' in type ? type.parseValue(value) : undefined
        return parsed === undefined ? UNUSUAL : parsed
      } catch {
        return UNUSUAL
      }
    }
  }
  const objectCoercion = (type: GraphQLInputObjectType): Coerce => {
    const known = ofObjects.get(type)
    if (known !== undefined) return known
    // Input types may be recursive.
    let coerce: Coerce | null = null
    const coercion: Coerce = (value) => (coerce ??= fieldsCoercion(type, compile))(value)
    ofObjects.set(type, coercion)
    return coercion
  }
  return compile
}

function listCoercion(coerce: Coerce): Coerce {
  return (value) => {
    if (!Array.isArray(value)) return UNUSUAL
    const items: unknown[] = []
    for (const item of value) {
      const coerced = coerce(item)
      if (coerced === UNUSUAL) return UNUSUAL
      items.push(coerced)
    }
    return items
  }
}

type Field = { readonly definition: GraphQLInputField; readonly coerce: Coerce }

function fieldsCoercion(type: GraphQLInputObjectType, compile: (type: GraphQLInputType) => Coerce): Coerce {
  if (type.isOneOf) return () => UNUSUAL
  const fields = Object.values(type.getFields()).map((definition): Field => ({
    definition,
    coerce: compile(definition.type),
  }))
  const names = new Set(fields.map(({ definition }) => definition.name))
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return UNUSUAL
    for (const name of Object.keys(value)) if (!names.has(name)) return UNUSUAL
    const given = value as Values
    const coerced: Record<string, unknown> = {}
    for (const { definition, coerce } of fields) {
      const { name, defaultValue } = definition
      const fieldValue = given[name]
      if (fieldValue === undefined) {
        if (defaultValue !== undefined) coerced[name] = defaultValue
        else if (isNonNullType(definition.type)) return UNUSUAL
        continue
      }
      const result = coerce(fieldValue)
      if (result === UNUSUAL) return UNUSUAL
      coerced[name] = result
    }
    return coerced
  }
}
