import type { Plant } from './plants.ts'

const RULES = 'src/domain/payments/refund-rules.ts'
const REFUNDS = 'src/domain/payments/payment-report.ts'
const TRACE = 'src/domain/payments/refund-rules.ts'
const COMMAND = 'src/commands/refund-payment.ts'

const RULES_TEST = ['test/unit/domain/payments/refund-rules.test.ts']
const REFUNDS_TEST = ['test/unit/domain/payments/refund.test.ts']
const TRACE_TEST = ['test/unit/domain/payments/refund-trace.test.ts']

/** Returns a mutation of one place. */
function plant(
  name: string,
  file: string,
  [from, to]: readonly [from: string, to: string],
  tests: readonly string[],
): Plant {
  return { name, edits: [{ file, from, to }], tests }
}

/** Mutations of the rules for refunds: which may be requested, how each is told apart, and how the outcome of a request is found. */
export const REFUND_PLANTS: readonly Plant[] = [
  plant(
    'a refund is offered although nothing is left to refund',
    RULES,
    ["compareDecimals(left, '0') <= 0", "compareDecimals(left, '0') < 0"],
    RULES_TEST,
  ),
  plant(
    'a refund may be larger than what is left',
    RULES,
    ['compareDecimals(request.amount.value, left) <= 0', 'left.length > 0'],
    RULES_TEST,
  ),
  plant(
    'a refund of exactly what is left is refused',
    RULES,
    ['compareDecimals(request.amount.value, left) <= 0', 'compareDecimals(request.amount.value, left) < 0'],
    RULES_TEST,
  ),
  plant(
    'a refund may be in another currency than its payment',
    RULES,
    ['amount != null && currency !== null && amount.currency !== currency', 'amount != null && currency === null'],
    RULES_TEST,
  ),
  plant(
    'a refund is requested while another is pending',
    RULES,
    [
      "  'return_rejected',\n  'return_expired',\n])",
      "  'return_rejected',\n  'return_expired',\n  'return_pending',\n])",
    ],
    RULES_TEST,
  ),
  plant(
    'a refund of the rest of a payment is refused after one of a part',
    RULES,
    ["  'partially_refunded',\n  'return_rejected'", "  'return_rejected'"],
    RULES_TEST,
  ),
  plant(
    'a refund of a card payment that is not settled is refused',
    RULES,
    ["(status === 'waiting' && isCard(details))", '(isCard(details) && REFUNDABLE.has(status))'],
    RULES_TEST,
  ),
  plant(
    'a refund that was denied counts as paid out',
    RULES,
    ["status === 'return_rejected' || status === 'return_expired'\n", 'status === null\n'],
    RULES_TEST,
  ),
  plant(
    'a refund of a method that takes none is sent',
    RULES,
    ["if (traits.refundable === false) return 'method'", "if (traits.refundable === null) return 'method'"],
    RULES_TEST,
  ),
  plant(
    'a refund request lapses after one day',
    RULES,
    ['10 * 24 * 60', '24 * 60'],
    [...RULES_TEST, 'test/e2e/refunds.test.ts'],
  ),
  plant(
    'a refund whose total grows while it is pending is shown twice',
    REFUNDS,
    ['if (unknown !== undefined)\n', 'if (unknown !== undefined && open.length > 1)\n'],
    REFUNDS_TEST,
  ),
  plant(
    'a refund that was denied leaves the others pending',
    REFUNDS,
    ['const ended = open.length > 0 ? open : undone', 'const ended = open.length > 0 ? open.slice(0, 1) : undone'],
    REFUNDS_TEST,
  ),
  plant(
    'a refund is shown as paid out before the total reaches it',
    REFUNDS,
    [
      'index === 0 || isReached(refunds, open.slice(0, index + 1), after)',
      'index >= 0 || isReached(refunds, open, after)',
    ],
    REFUNDS_TEST,
  ),
  plant(
    'a refund that was made elsewhere beside ours is not shown',
    REFUNDS,
    ['isPositive(more) ? [...ended,', 'isPositive(more) && ended.length === 0 ? [...ended,'],
    REFUNDS_TEST,
  ),
  plant(
    'a refund that is reported again is shown again',
    REFUNDS,
    ['return before?.status !== after.status', 'return before?.status !== null || after.status !== null'],
    [...REFUNDS_TEST, 'test/unit/domain/payments/random-refunds.test.ts'],
  ),
  plant(
    'a refund of another amount is taken for the one of a command',
    REFUNDS,
    [
      'shown === null || asked === null || compareDecimals(shown, asked) === 0',
      'shown === null || asked !== undefined',
    ],
    REFUNDS_TEST,
  ),
  plant(
    'a refund for another reason settles a request without an answer',
    TRACE,
    ['report.refundDescription?.trim() !== description.trim()', 'description === undefined'],
    TRACE_TEST,
  ),
  plant(
    'a refund from before the request settles it',
    TRACE,
    ['return descends && fitsAmount', 'return (descends || states.length > 0) && fitsAmount'],
    TRACE_TEST,
  ),
  plant(
    'a refund of another amount that is paid out settles a request without an answer',
    TRACE,
    ['if (isPaidOut) return false', 'if (isPaidOut) return now !== earlier'],
    TRACE_TEST,
  ),
  plant(
    'a refund without an answer is sent again',
    COMMAND,
    ['repeatAfterMs: null', 'repeatAfterMs: 0'],
    ['test/e2e/refunds.test.ts'],
  ),
  plant(
    'a refund of part of a payment is sent as one of the whole',
    COMMAND,
    [
      'const refund = { amount: request.amount?.value ?? null, description',
      'const refund = { amount: null, description',
    ],
    ['test/e2e/refunds.test.ts'],
  ),
]
