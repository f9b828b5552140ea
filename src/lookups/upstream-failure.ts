import { UpstreamFault, type FaultDetail } from '../upstream/client/upstream-fault.ts'
import type { FieldProblem, NothingDone, ReadFailure, Rejection } from './operation-outcome.ts'

type Refusal = Extract<FaultDetail, { kind: 'refused' }>

/** A fault of the upstream client, or null for an error that is none: that is a bug of ours. */
export function faultOf(error: unknown): FaultDetail | null {
  return error instanceof UpstreamFault ? error.detail : null
}

/** What a fault of a read means: the payments API has no such thing, refuses, or cannot be had. */
export function readFailure(fault: FaultDetail, site: string): ReadFailure {
  if (fault.kind !== 'refused') return nothingDone(fault, site)
  return fault.httpStatus === 404 ? { kind: 'not-found' } : rejection(fault)
}

/** What a fault means after which it is certain that the payments API did nothing. */
export function nothingDone(fault: Exclude<FaultDetail, Refusal>, site: string): NothingDone {
  if (fault.kind === 'credentials') return { kind: 'credentials-rejected', site: fault.site ?? site }
  return {
    kind: 'upstream-unavailable',
    retryAfterSeconds: 'retryAfterSeconds' in fault ? fault.retryAfterSeconds : null,
  }
}

/** A refusal in the payments API's own words, by its own field names. */
export function rejection(fault: Refusal): Rejection {
  const { httpStatus, code, message } = fault
  const fields: FieldProblem[] = fault.fields.map((field) => ({ path: [field.path], message: field.message }))
  const problems = fields.length > 0 || message === null ? fields : [{ path: [], message }]
  return { kind: 'upstream-rejected', httpStatus, upstreamCode: code, problems }
}
