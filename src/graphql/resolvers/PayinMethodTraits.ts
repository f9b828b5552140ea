import { type MethodFlags, traitsOf } from '../../domain/methods/method-traits.ts'
import { takesOpenAmount } from '../../domain/methods/open-amount.ts'
import type { PayinMethod } from '../../domain/methods/payin-method.ts'
import type { Context } from '../context.ts'
import type { PayinMethodTraitsResolvers } from '../generated.ts'
import { recordOf } from '../views/payin-method-record.ts'
import { whenKnown } from '../when-known.ts'

export const PayinMethodTraits: PayinMethodTraitsResolvers = {
  promptsHandset: ({ kind }) => traitsOf(kind).promptsHandset,
  confirmsOnPage: ({ kind }) => traitsOf(kind).confirmsOnPage,
  timesOut: ({ kind }) => traitsOf(kind).timesOutAsFailed,
  openAmount: ({ code }) => takesOpenAmount(code),
  refundable: flagReader('refundable'),
  cancellable: flagReader('cancellable'),
  requiresContact: flagReader('requiresContact'),
  requiresKyc: flagReader('requiresKyc'),
}

/** Creates the resolver of a flag. It reads the method's record only if the lists do not have the flag. */
function flagReader(name: keyof MethodFlags) {
  return (method: PayinMethod, _args: unknown, context: Context) =>
    method.flags[name] ??
    whenKnown(recordOf(method, context), (record) => traitsOf(method.kind, record ?? undefined)[name])
}
