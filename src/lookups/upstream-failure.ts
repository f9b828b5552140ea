import { UpstreamFault, type FaultDetail } from '../upstream/client/upstream-fault.ts'
import type { FieldProblem, NothingDone, ReadFailure, Rejection } from './operation-outcome.ts'

type Refusal = Extract<FaultDetail, { kind: 'refused' | 'forbidden' }>

/** Returns the fault of an `UpstreamFault`; null for any other error, which is a bug of ours. */
export function faultOf(error: unknown): FaultDetail | null {
  return error instanceof UpstreamFault ? error.detail : null
}

/** Maps the fault of a read to a failure: not found, refused, or unavailable. */
export function readFailure(fault: FaultDetail, site: string): ReadFailure {
  if (fault.kind !== 'refused') return nothingDone(fault, site)
  return fault.httpStatus === 404 ? { kind: 'not-found' } : rejection(fault)
}

/** Maps a fault after which it is certain that the payments API did nothing, and after which the same request may succeed. */
export function nothingDone(fault: Exclude<FaultDetail, { kind: 'refused' }>, site: string): NothingDone | Rejection {
  if (fault.kind === 'forbidden') return rejection(fault)
  if (fault.kind === 'credentials') return { kind: 'credentials-rejected', site: fault.site ?? site }
  return {
    kind: 'upstream-unavailable',
    retryAfterSeconds: 'retryAfterSeconds' in fault ? fault.retryAfterSeconds : null,
  }
}

/** Maps a refusal, keeping the messages and field names of the payments API. */
export function rejection(fault: Refusal): Rejection {
  const { httpStatus, code, message } = fault
  const fields: FieldProblem[] = fault.fields.map((field) => ({ path: [field.path], message: field.message }))
  const problems = fields.length > 0 || message === null ? fields : [{ path: [], message }]
  return { kind: 'upstream-rejected', httpStatus, upstreamCode: code, problems }
}
