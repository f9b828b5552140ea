import type { Refund } from '../domain/payments/payment-report.ts'
import type { Payment } from '../domain/payments/payment.ts'
import type { PageInfo, Resolvers } from './generated.ts'

/** A refund as a resolver's parent, with its payment. */
export type RefundView = { readonly refund: Refund; readonly payment: Payment }

/** The customer's next action, as a resolver's parent. */
export type NextActionView = {
  readonly kind: 'OPEN_CHECKOUT' | 'COMPLETE_3DS' | 'WAIT' | 'START_AGAIN' | 'CONTACT_SUPPORT'
  readonly url: string | null
  readonly notBefore: string | null
}

/** The failure of a payment, as a resolver's parent. */
export type FailureView = {
  readonly codeRaw: string
  readonly upstreamMessage: string | null
  readonly failedAt: string
}

/** Returns `make(value)`: synchronously for a plain value, or as a promise if the value is a promise. */
export function whenKnown<Value, Result>(
  value: Value | Promise<Value>,
  make: (value: Value) => Result,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(make) : make(value)
}

/** A page of a list with filters, as a resolver's parent. */
export type CountedPage = {
  readonly edges: readonly unknown[]
  readonly nodes: readonly unknown[]
  readonly pageInfo: PageInfo
  /** Returns how many there are on all pages; null if that takes too long. */
  count(): Promise<number | null>
}

/** The resolver of such a page. */
export const countedPage = { totalCount: ({ count }: CountedPage) => count() }

/** The resolvers of one area: any types, and some of the fields of the root types. */
export type AreaResolvers = { readonly [Type in keyof Resolvers]?: Partial<NonNullable<Resolvers[Type]>> }
