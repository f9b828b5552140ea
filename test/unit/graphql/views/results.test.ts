import { readFileSync } from 'node:fs'
import { buildASTSchema, isInterfaceType, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { failureResult } from '../../../../src/graphql/views/views.ts'
import type { OperationFailure } from '../../../../src/lookups/operation-outcome.ts'

const PROBLEMS = [{ path: ['amount', 'value'], message: 'must be above zero' }]
const MONEY = { value: '10.00', currency: 'AUD' }

/** Each failure with the type, the code, and whether the same call may succeed later. */
const CASES: [OperationFailure, string, string, boolean][] = [
  [{ kind: 'invalid-input', problems: PROBLEMS }, 'PaymentsInvalidInputError', 'INVALID_INPUT', false],
  [
    { kind: 'amount-out-of-range', min: MONEY, max: null },
    'PaymentsAmountOutOfRangeError',
    'AMOUNT_OUT_OF_RANGE',
    false,
  ],
  [
    { kind: 'method-unavailable', availableCodes: ['au_card_aud'] },
    'PaymentsMethodUnavailableError',
    'METHOD_UNAVAILABLE',
    false,
  ],
  [
    { kind: 'idempotency-conflict', inProgress: true },
    'PaymentsIdempotencyConflictError',
    'IDEMPOTENCY_CONFLICT',
    true,
  ],
  [
    { kind: 'idempotency-conflict', inProgress: false },
    'PaymentsIdempotencyConflictError',
    'IDEMPOTENCY_CONFLICT',
    false,
  ],
  [{ kind: 'outcome-unknown', operationId: 'command-1' }, 'PaymentsOutcomeUnknownError', 'OUTCOME_UNKNOWN', true],
  [{ kind: 'not-found' }, 'PaymentsNotFoundError', 'NOT_FOUND', false],
  [
    { kind: 'upstream-rejected', httpStatus: 422, upstreamCode: 'invalid', problems: PROBLEMS },
    'PaymentsUpstreamRejectedError',
    'UPSTREAM_REJECTED',
    false,
  ],
  [
    { kind: 'upstream-rejected', httpStatus: 404, upstreamCode: null, problems: [] },
    'PaymentsUpstreamRejectedError',
    'UPSTREAM_NOT_FOUND',
    false,
  ],
  [
    { kind: 'upstream-unavailable', retryAfterSeconds: 7 },
    'PaymentsUpstreamUnavailableError',
    'UPSTREAM_UNAVAILABLE',
    true,
  ],
  [{ kind: 'credentials-rejected', site: 'au' }, 'PaymentsCredentialsRejectedError', 'CREDENTIALS_REJECTED', false],
  [{ kind: 'state-conflict', statusRaw: 'pending' }, 'PaymentsStateConflictError', 'STATE_CONFLICT', false],
  [{ kind: 'not-supported' }, 'PaymentsNotSupportedError', 'NOT_SUPPORTED', false],
  [{ kind: 'sandbox-only' }, 'PaymentsSandboxOnlyError', 'SANDBOX_ONLY', false],
  [{ kind: 'not-replayable', reason: 'MISADDRESSED' }, 'PaymentsNotReplayableError', 'NOT_REPLAYABLE', false],
  [
    { kind: 'invalid-qr', position: 7, message: 'an object is cut short' },
    'PaymentsInvalidQrContentError',
    'INVALID_QR',
    false,
  ],
]

const contract = parse(readFileSync(new URL('../../../../schema.graphql', import.meta.url), 'utf8'))
const schema = buildASTSchema(contract, { assumeValid: true })

describe.each(CASES)('%j', (failure, ...expected) => {
  const [typename, code, retryable] = expected
  const { kind: _, ...rest } = failure
  const result: Record<string, unknown> = { ...failureResult(failure) }

  it('is a sentence, a code, and whether the same call may succeed later', () => {
    expect(result['message']).toMatch(/^The [^]*\.$|^[A-Z][^]*\.$/)
    expect(result).toEqual({ ...rest, __typename: typename, code, message: result['message'], retryable })
  })

  it('fits its type in the contract', () => {
    const type = schema.getType(typename)
    if (type === undefined || !('getFields' in type)) throw new Error(`The contract has no ${typename}.`)
    expect(Object.keys(result).toSorted()).toEqual([...Object.keys(type.getFields()), '__typename'].toSorted())
  })
})

it('every error of the contract has a failure', () => {
  const errors = schema.getType('PaymentsError')
  if (!isInterfaceType(errors)) throw new Error('The contract has no PaymentsError.')
  const covered = new Set(CASES.map(([, typename]) => typename))
  expect(new Set(schema.getPossibleTypes(errors).map(({ name }) => name))).toEqual(covered)
})
