import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Caller } from '../access/caller.ts'
import { createQuota } from './quota.ts'

export type StreamQuotaOptions = {
  readonly limits: { readonly perAddress: number; readonly perSubject: number }
  /** Whose connection it is; null for one that is nobody's, and is not counted. */
  readonly addressOf: (request: IncomingMessage) => string | null
  /** Whether a request has proved to come from the router, whose address stands for many. */
  readonly isRouter: (headers: IncomingHttpHeaders) => boolean
}

/** Takes one stream for a request and its caller, and gives the function that returns it; null when either has too many. */
export type StreamQuota = (request: IncomingMessage, caller: Caller) => (() => void) | null

const NOTHING = () => {}

/** A quota of streams for each address and each subject. Tokens without a subject and a client do not count. */
export function createStreamQuota({ limits, addressOf, isRouter }: StreamQuotaOptions): StreamQuota {
  const addresses = createQuota(limits.perAddress)
  const subjects = createQuota(limits.perSubject)
  return (request, caller) => {
    const address = isRouter(request.headers) ? null : addressOf(request)
    const subject = caller.kind === 'client' ? caller.identity : null
    const leaveAddress = address === null ? NOTHING : addresses.take(address)
    if (leaveAddress === null) return null
    const leaveSubject = subject === null ? NOTHING : subjects.take(subject)
    if (leaveSubject === null) {
      leaveAddress()
      return null
    }
    return () => {
      leaveAddress()
      leaveSubject()
    }
  }
}
