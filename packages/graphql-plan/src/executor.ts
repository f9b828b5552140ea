import {
  execute,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql'
import { fieldText, objectText } from './complete.ts'
import { asksForSchema, conditionVariables, OperationPlan } from './plan.ts'
import { type Arguments, isPromise, NULL, type ObjectPlan, Run } from './run-plan.ts'

/** A validated operation with the values of its variables. */
export type ExecutableOperation = {
  readonly document: DocumentNode
  readonly node: OperationDefinitionNode
  /** Coerced, with their defaults. */
  readonly variables: Arguments
  /** As received. */
  readonly request: { readonly variables: Arguments }
}

/** The result of an operation: `data` as JSON, and the errors. */
export type ExecutedText = { readonly data: string; readonly errors: readonly GraphQLError[] }

/** Executes an operation, for subscriptions with the item as root value. Synchronous for a query or item with synchronous resolvers. */
export type Execute<Context = unknown> = (
  operation: ExecutableOperation,
  context: Context,
  rootValue?: unknown,
) => ExecutedText | Promise<ExecutedText>

/** Maximum number of kept plans per operation, one per combination of values in `@skip` and `@include`; others are planned each time. */
const MAX_VARIANTS = 16

type Plans = { readonly conditions: readonly string[]; readonly variants: Map<string, OperationPlan> }

/**
 * Creates an executor by plans. Each operation is planned once, and the response is written as JSON while values are completed. The
 * result is that of graphql-js (https://spec.graphql.org/September2025/#sec-Execution), for a schema whose resolvers do not use
 * `info.path`, which throws. Operations with introspection are executed by graphql-js.
 *
 * @example
 * const execute = createPlannedExecutor(schema)
 * const { data, errors } = await execute({ document, node, variables, request }, context)
 */
export function createPlannedExecutor<Context = unknown>(schema: GraphQLSchema): Execute<Context> {
  const plansOf = new WeakMap<OperationDefinitionNode, Plans | null>()
  const byLibrary = createLibraryExecutor<Context>(schema)
  const plansFor = (operation: ExecutableOperation): Plans | null => {
    const known = plansOf.get(operation.node)
    if (known !== undefined) return known
    const { document } = operation
    const plans = asksForSchema(document) ? null : { conditions: conditionVariables(document), variants: new Map() }
    plansOf.set(operation.node, plans)
    return plans
  }
  const planFor = (operation: ExecutableOperation, { conditions, variants }: Plans): OperationPlan => {
    const values = conditions.map((name) => [name, operation.variables[name]] as const)
    const key = values.join()
    const known = variants.get(key)
    if (known !== undefined) return known
    const plan = new OperationPlan(schema, operation, Object.fromEntries(values))
    if (variants.size < MAX_VARIANTS) variants.set(key, plan)
    return plan
  }
  return (operation, context, rootValue) => {
    const plans = plansFor(operation)
    if (plans === null) return byLibrary(operation, context, rootValue)
    const run = new Run(context, operation.variables, rootValue)
    const isSerial = operation.node.operation === OperationTypeNode.MUTATION
    try {
      const { root } = planFor(operation, plans)
      const text = isSerial ? serialText(root, run) : objectText(root, run, rootValue, undefined)
      if (typeof text === 'string') return { data: text, errors: run.errors }
      return text.then(
        (data) => ({ data, errors: run.errors }),
        (error: unknown) => nothing(run, error),
      )
    } catch (error) {
      return nothing(run, error)
    }
  }
}

/** Executes the fields of a mutation serially. */
async function serialText({ labels, fields, end }: ObjectPlan, run: Run): Promise<string> {
  let text = ''
  for (const [index, field] of fields.entries())
    text += (labels[index] ?? '') + (await fieldText(field, run, run.rootValue, undefined))
  return text + end
}

/** Returns the result if an error reached the root: `data` is null. */
function nothing(run: Run, error: unknown): ExecutedText {
  run.addError(error as GraphQLError, undefined)
  return { data: NULL, errors: run.errors }
}

/** Creates an executor that uses graphql-js, to be put in the place of the other one. */
export function createLibraryExecutor<Context = unknown>(schema: GraphQLSchema): Execute<Context> {
  return ({ document, node, request }, contextValue, rootValue) => {
    const result = execute({
      schema,
      document,
      operationName: node.name?.value,
      variableValues: request.variables,
      contextValue,
      rootValue,
    })
    const textOf = ({ data, errors = [] }: Awaited<typeof result>): ExecutedText => ({
      data: data === undefined ? NULL : JSON.stringify(data),
      errors,
    })
    return isPromise(result) ? result.then(textOf) : textOf(result)
  }
}
