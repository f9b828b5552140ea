import { createContext } from 'preact'
import { AttentionDocument, type SitePartsFragment } from '../../generated/graphql.ts'
import type { ViewName } from '../../routes/route.ts'
import { useScope } from '../../session/session.ts'
import { ANY_EVENT, useAnswer } from '../answers.tsx'
import { lookOf } from '../statuses.ts'

/** Milliseconds between two reads: a webhook in quarantine has no event. */
const EVERY_MS = 2_000

/** Numbers of what needs a person, by the view that shows it; null where none is known. */
export type Attention = Readonly<Partial<Record<ViewName, string | null>>> & {
  /** The sites whose requests to the payments API fail. */
  readonly outage?: readonly SitePartsFragment[]
  /** Whether these are all sites. */
  readonly isOut?: boolean
}

/** What needs a person now, followed once for all of the console. */
export const AttentionContext = createContext<Attention>({})

/** Follows how much needs a person. */
export function useAttention(): Attention {
  const payments = useScope('payments:read')
  const { data } = useAnswer(
    AttentionDocument,
    { payments },
    { pause: !payments, concerns: ANY_EVENT, everyMs: EVERY_MS },
  )
  if (data === undefined) return {}
  const { paymentsHealth: health, troubled, duplicates, unansweredGatewayPayments: unanswered } = data
  const ids = new Set([...(troubled?.nodes ?? []), ...(duplicates?.nodes ?? [])].map(({ id }) => id))
  const isMore = troubled?.pageInfo.hasNextPage === true || duplicates?.pageInfo.hasNextPage === true
  const { doubtful = 0, quarantined = 0 } = health?.deliveries ?? {}
  const sites = health?.sites ?? []
  const outage = sites.filter(({ availability }) => lookOf('PaymentsSiteAvailability', availability).tone === 'fault')
  return {
    payments: textOf(ids.size, isMore),
    deliveries: textOf(doubtful + quarantined),
    'gateway-payments': textOf(unanswered?.length ?? 0, unanswered?.length === 100),
    health: textOf(sites.filter(({ availability }) => availability !== 'AVAILABLE').length),
    outage,
    isOut: outage.length > 0 && outage.length === sites.length,
  }
}

function textOf(count: number, isMore = false): string | null {
  return count === 0 ? null : `${count}${isMore ? '+' : ''}`
}
