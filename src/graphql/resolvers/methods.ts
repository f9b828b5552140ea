import { selectMethods } from '../../domain/methods/method-selection.ts'
import {
  type PayinMethod as Method,
  limitOf,
  type MethodFlags,
  parseMethodCode,
  traitsOf,
  takesOpenAmount,
} from '../../domain/methods/payin-method.ts'
import { currencies, roundsSubmittedAmount } from '../../domain/money/money.ts'
import { isCurrent } from '../../upstream/methods/method-cache.ts'
import type { PayinMethodList } from '../../upstream/methods/payin-method-lists.ts'
import { nodeIdOf, validAmount } from '../arguments/arguments.ts'
import type { Context } from '../context.ts'
import type { QueryPayinMethodsArgs } from '../generated.ts'
import { whenKnown, type AreaResolvers } from '../models.ts'
import { accepts, limitsOf, recordOf } from '../views/views.ts'

export const methodsResolvers = {
  Query: {
    payinMethod: (_root, { code }, { loaders }) => loaders.methodByCode.load(code),
    payinMethods: (_root, args, context) => {
      if (args.amount != null) validAmount(args.amount)
      return whenKnown(context.methods.list(args.currencies ?? undefined), (list) => {
        if (!isCurrent(list)) context.freshness.markStale()
        return whenKnown(nodesOf(list, args, context), (nodes) => ({
          nodes: nodes as Method[],
          fetchedAt: list.fetchedAt,
          stale: list.stale,
          unavailable: list.unavailable.filter((code) => isUnavailable(list, code, args)),
          missing: [...list.missing],
        }))
      })
    },
    paymentCurrencies: () => [...currencies],
  },
  PayinMethod: {
    nodeId: ({ code }) => nodeIdOf('PayinMethod', code),
    usableFor: ({ usableFor }) => [...usableFor],
    name: (method, _args, context) =>
      method.name ?? whenKnown(recordOf(method, context), (record) => record?.description ?? method.code),
    minAmount: (method, _args, context) =>
      whenKnown(limitsOf(method, context), (limits) => limitOf(limits, 'minAmount')),
    maxAmount: (method, _args, context) =>
      whenKnown(limitsOf(method, context), (limits) => limitOf(limits, 'maxAmount')),
    cardBrands: (method) => method.cardBrands && [...method.cardBrands],
    checkoutLanguages: (method) => method.checkoutLanguages && [...method.checkoutLanguages],
    provider: ({ code }) => parseMethodCode(code).provider,
    networks: (method, _args, context) => said(method, ({ networks }) => networks && [...networks], context),
    symbol: (method, _args, context) => said(method, ({ symbol }) => symbol, context),
    logo: (method, _args, context) => said(method, ({ logo }) => logo, context),
    traits: (method) => method,
    accepts: (method, { amount }, context) => accepts(method, validAmount(amount), context),
    requiredFields: (method, _args, context) =>
      whenKnown(recordOf(method, context), (record) => record?.fields.slice() ?? null),
    __resolveReference: ({ code }, { loaders }) => loaders.methodByCode.load(code),
  },
  PayinMethodTraits: {
    promptsHandset: ({ kind }) => traitsOf(kind).promptsHandset,
    confirmsOnPage: ({ kind }) => traitsOf(kind).confirmsOnPage,
    timesOut: ({ kind }) => traitsOf(kind).timesOutAsFailed,
    openAmount: ({ code }) => takesOpenAmount(code),
    refundable: flagReader('refundable'),
    cancellable: flagReader('cancellable'),
    requiresContact: flagReader('requiresContact'),
    requiresKyc: flagReader('requiresKyc'),
  },
  PaymentCurrency: {
    roundsSubmittedAmount: (currency) => roundsSubmittedAmount(currency.code),
    versions: (currency) => [...currency.versions],
    enabled: (currency, _args, { isEnabled }) => isEnabled(currency),
    __resolveReference: ({ code }) => currencies.find((currency) => currency.code === code) ?? null,
  },
} satisfies AreaResolvers

/** Returns the methods of the uses and kinds that may take the amount. Reads the records of those without a listed limit. */
function nodesOf(
  { methods }: PayinMethodList,
  { usableFor = null, kinds = null, amount }: QueryPayinMethodsArgs,
  context: Context,
): readonly Method[] | Promise<readonly Method[]> {
  const selected = selectMethods(methods, { usableFor, kinds, currency: amount?.currency ?? null })
  if (amount == null) return selected
  const answers = selected.map((method) => accepts(method, amount, context))
  const accepted = (known: readonly (boolean | null)[]) => selected.filter((_method, index) => known[index] !== false)
  // Seldom: the lists have the limits of most methods.
  return answers.some((answer) => answer instanceof Promise)
    ? Promise.all(answers.map(async (answer) => answer)).then(accepted)
    : accepted(answers as (boolean | null)[])
}

/** Returns whether the list that would have methods of this currency is missing, and no other list has any. */
function isUnavailable(
  { missing, methods }: PayinMethodList,
  code: string,
  { usableFor = null }: QueryPayinMethodsArgs,
): boolean {
  return (
    missing.some(({ currency, use }) => currency === code && (usableFor?.includes(use) ?? true)) &&
    selectMethods(methods, { usableFor, kinds: null, currency: code }).length === 0
  )
}

/** Returns what the lists say of a method, or if they do not, what its record says. */
function said<Value>(
  method: Method,
  of: (source: Pick<Method, 'networks' | 'symbol' | 'logo'>) => Value | null,
  context: Context,
): Value | null | Promise<Value | null> {
  return of(method) ?? whenKnown(recordOf(method, context), (record) => record && of(record))
}

/** Creates the resolver of a flag. It reads the method's record only if the lists do not have the flag. */
function flagReader(name: keyof MethodFlags) {
  return (method: Method, _args: unknown, context: Context) =>
    method.flags[name] ??
    whenKnown(recordOf(method, context), (record) => traitsOf(method.kind, record ?? undefined)[name])
}
