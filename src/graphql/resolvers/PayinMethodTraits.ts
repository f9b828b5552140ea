import { type MethodFlags, traitsOf } from '../../domain/methods/method-traits.ts'
import type { PayinMethod } from '../../domain/methods/payin-method.ts'
import type { Context } from '../context.ts'
import type { PayinMethodTraitsResolvers } from '../generated.ts'

export const PayinMethodTraits: PayinMethodTraitsResolvers = {
  promptsHandset: ({ kind }) => traitsOf(kind).promptsHandset,
  refundable: flagReader('refundable'),
  cancellable: flagReader('cancellable'),
  requiresContact: flagReader('requiresContact'),
  requiresKyc: flagReader('requiresKyc'),
}

/** The list of direct payin methods is read only for a flag that the method's own entry leaves open. */
function flagReader(name: keyof MethodFlags) {
  return async (
    method: PayinMethod,
    _args: unknown,
    { requirements, freshness }: Pick<Context, 'requirements' | 'freshness'>,
  ) => method.flags[name] ?? traitsOf(method.kind, await requirements.payinFlags(method, freshness.markStale))[name]
}
