/** What a status means to an operator: in progress, here, in need of a person, failed, money on its way back, over. */
export type Tone = 'now' | 'here' | 'look' | 'fault' | 'back' | 'over'

export type Look = { readonly word: string; readonly glyph: string; readonly tone: Tone }

const look = (word: string, glyph: string, tone: Tone): Look => ({ word, glyph, tone })

const UNRECOGNISED = look('Unrecognised', 'unknown', 'over')

const PAYIN = {
  PENDING: look('Pending', 'begun', 'now'),
  AUTHORISED: look('Authorised', 'quarter', 'now'),
  WAITING: look('Waiting for funds', 'half', 'now'),
  RECEIVED: look('Received', 'done', 'here'),
  EXPIRED: look('Expired', 'late', 'over'),
  RETURN_PENDING: look('Refund pending', 'going', 'back'),
  RETURN_EXPIRED: look('Refund expired', 'late', 'look'),
  PARTIALLY_REFUNDED: look('Partly refunded', 'part', 'back'),
  RETURN_RECEIVED: look('Refunded', 'gone', 'back'),
  RETURN_REJECTED: look('Refund denied', 'deny', 'look'),
  FAILED: look('Failed', 'fail', 'fault'),
  IN_DISPUTE: look('In dispute', 'flag', 'look'),
  DISPUTE_LOST: look('Dispute lost', 'lost', 'fault'),
  UNRECOGNISED,
}

/** Word, glyph and tone of each value of the enums of the schema that are shown as a status. */
export const STATUSES = {
  PayinStatus: PAYIN,
  GatewayPaymentStatus: { CREATED: look('Created', 'begun', 'now'), ...PAYIN },
  PaymentPhase: {
    IN_PROGRESS: look('In progress', 'half', 'now'),
    SUCCEEDED: look('Succeeded', 'done', 'here'),
    FAILED: look('Failed', 'fail', 'fault'),
    EXPIRED: look('Expired', 'late', 'over'),
    REFUNDING: look('Refunding', 'going', 'back'),
    REFUNDED: look('Refunded', 'gone', 'back'),
    DISPUTED: look('Disputed', 'flag', 'look'),
  },
  PaymentLinkState: {
    OPEN: look('Open', 'open', 'now'),
    PAID: look('Paid', 'done', 'here'),
    FAILED: look('Failed', 'fail', 'fault'),
    EXPIRED: look('Expired', 'late', 'over'),
  },
  PaymentRefundState: {
    PENDING: look('Pending', 'going', 'back'),
    SETTLED: look('Settled', 'gone', 'back'),
    REJECTED: look('Rejected', 'deny', 'look'),
    EXPIRED: look('Expired', 'late', 'look'),
  },
  PaymentCommandState: {
    SENT: look('Sent', 'half', 'now'),
    SETTLED: look('Carried out', 'done', 'here'),
    REJECTED: look('Refused', 'deny', 'fault'),
    UNKNOWN: look('Outcome unknown', 'doubt', 'look'),
    ABANDONED: look('Not carried out', 'minus', 'over'),
  },
  PaymentAgreementStatus: {
    CREATED: look('Created', 'begun', 'now'),
    ACTIVE: look('Active', 'done', 'here'),
    SUSPENDED: look('Suspended', 'pause', 'look'),
    CANCELLED: look('Cancelled', 'deny', 'over'),
    FAILED: look('Failed', 'fail', 'fault'),
    UNRECOGNISED,
  },
  PayoutStatus: {
    CREATED: look('Created', 'begun', 'now'),
    PROCESSING: look('Processing', 'half', 'now'),
    SCHEDULED: look('Scheduled', 'sched', 'now'),
    COMPLETED: look('Completed', 'done', 'here'),
    EXPIRED: look('Expired', 'late', 'over'),
    UNRECOGNISED,
  },
  PaymentWebhookDisposition: {
    APPLIED: look('Applied', 'done', 'here'),
    STALE: look('Stale', 'minus', 'over'),
    NO_CHANGE: look('No change', 'same', 'over'),
    DOUBTFUL: look('Doubtful', 'doubt', 'look'),
    QUARANTINED: look('Quarantined', 'quarantine', 'fault'),
  },
  PaymentsSiteAvailability: {
    AVAILABLE: look('Available', 'done', 'here'),
    PROBING: look('Probing', 'half', 'look'),
    UNAVAILABLE: look('Unavailable', 'fail', 'fault'),
    CREDENTIALS_REJECTED: look('Credentials rejected', 'quarantine', 'fault'),
    FAILING: look('Failing', 'fail', 'fault'),
    READS_PAUSED: look('Reads paused', 'pause', 'look'),
  },
  PaymentIdentityStatus: {
    NOT_SUBMITTED: look('Not submitted', 'begun', 'over'),
    PENDING: look('Pending', 'half', 'now'),
    APPROVED: look('Approved', 'done', 'here'),
    REJECTED: look('Rejected', 'fail', 'fault'),
    UNRECOGNISED,
  },
  PaymentsJobState: {
    RUNNING: look('Running', 'half', 'now'),
    DONE: look('Done', 'done', 'here'),
  },
  PaymentImportProblem: {
    CANCELLED: look('Cancelled', 'deny', 'over'),
    NOT_CONFIGURED: look('Not configured', 'deny', 'look'),
    CREDENTIALS_REJECTED: look('Credentials rejected', 'quarantine', 'fault'),
    REFUSED: look('Refused', 'fail', 'fault'),
    UNREADABLE: look('Unreadable', 'unknown', 'fault'),
    FAULT: look('Fault', 'fail', 'fault'),
  },
  PaymentSigningKeyState: {
    SIGNS: look('Signs', 'done', 'here'),
    VERIFIES: look('Verifies', 'half', 'now'),
    REMOVED: look('Removed', 'minus', 'over'),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Look>>>>

export type StatusKind = keyof typeof STATUSES

/** Returns how a value is shown; a value that is newer than this page shows its raw text. */
export function lookOf(kind: StatusKind, value: string, raw: string | null = null): Look {
  const known: Look | undefined = (STATUSES[kind] as Readonly<Record<string, Look>>)[value]
  if (known === undefined || known === UNRECOGNISED) return { ...UNRECOGNISED, word: raw ?? value }
  return known
}
