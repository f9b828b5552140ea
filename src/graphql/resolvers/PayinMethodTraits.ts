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

/** Creates the resolver of a flag. It reads the list of direct payin methods only if the flag is null in the method's own entry. */
function flagReader(name: keyof MethodFlags) {
  return async (
    method: PayinMethod,
    _args: unknown,
    { requirements, freshness }: Pick<Context, 'requirements' | 'freshness'>,
  ) => method.flags[name] ?? traitsOf(method.kind, await requirements.payinFlags(method, freshness.markStale))[name]
}
