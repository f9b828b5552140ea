/** Error codes for the page, by what the page should do next. */
export type FaultCode =
  /** The order is invalid: see the fields. */
  | 'INVALID_ORDER'
  /** Nothing was created, or the outcome is unknown: send the same request again later. */
  | 'TRY_AGAIN'
  /** The payments API does not know the link of this attempt any more: send the order with the next attempt. */
  | 'LINK_GONE'
  /** The shop is not configured for this. */
  | 'NOT_AVAILABLE'

export type FieldProblem = { readonly field: string; readonly message: string }

export type Fault = {
  readonly code: FaultCode
  readonly message: string
  readonly problems: readonly FieldProblem[]
  readonly retryAfterSeconds: number | null
}

const STATUS: Readonly<Record<FaultCode, number>> = {
  INVALID_ORDER: 422,
  TRY_AGAIN: 503,
  LINK_GONE: 410,
  NOT_AVAILABLE: 501,
}

type Details = Partial<Pick<Fault, 'problems' | 'retryAfterSeconds'>> & { readonly cause?: unknown }

/** An error that is sent to the page. */
export class ShopError extends Error {
  readonly status: number
  readonly fault: Fault

  constructor(code: FaultCode, message: string, { cause, ...rest }: Details = {}) {
    super(message, { cause })
    this.status = STATUS[code]
    this.fault = { code, message, problems: [], retryAfterSeconds: null, ...rest }
  }
}
