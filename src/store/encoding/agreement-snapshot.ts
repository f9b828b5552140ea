import { type Agreement, type AgreementFacts, NOTHING_KNOWN } from '../../domain/agreements/agreement.ts'

/** The columns of an event that duplicate fields of its agreement. */
export type EventAgreementColumns = {
  readonly stream_id: string
  readonly sequence: number
  readonly agreement_id: string | null
  readonly to_status: string | null
  /** Milliseconds since the epoch. */
  readonly recorded_at: number
}

type Repeated = Pick<Agreement, 'id' | 'streamId' | 'version' | 'statusRaw' | 'updatedAt'>

/** The fields of an agreement that the columns of its event do not contain; unknown facts are omitted. */
type Compact = Omit<Agreement, keyof Repeated | keyof AgreementFacts> & { readonly facts: Partial<AgreementFacts> }

/**
 * Returns the text of `events.agreement_json`: the agreement after the event, without the fields that the event's own columns contain. If
 * those columns differ from the agreement, the text contains all of it.
 */
export function encodeEventAgreement(agreement: Agreement, columns: EventAgreementColumns): string {
  const repeated = repeatedIn(columns)
  const repeats = (Object.keys(repeated) as (keyof Repeated)[]).every((key) => repeated[key] === agreement[key])
  return JSON.stringify(repeats ? toCompact(agreement) : agreement)
}

/** Returns the agreement after an event. Also reads the JSON text of a whole agreement, which earlier versions always wrote. */
export function decodeEventAgreement(text: string, columns: EventAgreementColumns): Agreement {
  const parsed = JSON.parse(text) as Agreement | Compact
  if (!('facts' in parsed)) return parsed
  const { facts, ...rest } = parsed
  return { ...NOTHING_KNOWN, ...facts, ...rest, ...repeatedIn(columns) }
}

function repeatedIn(columns: EventAgreementColumns): Repeated {
  return {
    id: columns.agreement_id ?? '',
    streamId: columns.stream_id,
    version: columns.sequence,
    statusRaw: columns.to_status ?? '',
    updatedAt: new Date(columns.recorded_at).toISOString(),
  }
}

function toCompact(agreement: Agreement): Compact {
  const { ref, site, status, seen, provisional } = agreement
  const known = FACTS.flatMap((key) => (agreement[key] === null ? [] : [[key, agreement[key]]]))
  return { ref, site, status, seen, provisional, facts: Object.fromEntries(known) as Partial<AgreementFacts> }
}

const FACTS = Object.keys(NOTHING_KNOWN) as (keyof AgreementFacts)[]
