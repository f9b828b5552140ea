import { parseConfig, type OperationLimits } from '../../src/config.ts'
import { createAdmission } from '../../src/graphql/admission/admission.ts'
import { createSchema } from '../../src/graphql/schema/schema.ts'

export const schema = createSchema({ production: true })

/** Creates the admission of the real schema with the settings of production. */
export function productionAdmission() {
  const policy = { limits: defaultLimits(), introspection: false, routerOnly: false, hideNames: true }
  return createAdmission({ schema, policy, trusted: null })
}

/** Returns the default limits. */
function defaultLimits(): OperationLimits {
  const parsed = parseConfig({})
  if (!parsed.ok) throw new Error('There are no defaults.')
  return parsed.config.limits
}
