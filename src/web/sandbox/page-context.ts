import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Facts, Query, Snapshot } from './shapes.ts'

/** What every section of the page shares. */
export type PageContext = {
  readonly facts: Facts
  readonly snapshot: Snapshot
  readonly query: Query
  /** What the last action came to. */
  readonly notice: string
  readonly act: Act
  /** Opens what can be done with one thing. */
  readonly open: (subject: Subject) => void
  /** Opens one webhook, by its id. */
  readonly openWebhook: (id: string) => void
}

/** Does something and tells of it: `done`, or why it failed. Gives whether it was done. */
export type Act = <Answer>(work: () => Promise<Answer>, done: string | ((answer: Answer) => string)) => Promise<boolean>

/** One thing whose status can be set, and of which webhooks tell. */
export type Subject = {
  readonly kind: 'links' | 'payins' | 'gateway_payments' | 'agreements' | 'payouts'
  /** By which the control endpoints know it. */
  readonly id: string
  /** By which its webhooks know it. */
  readonly webhookSubject: string
  readonly title: string
}

export const Page = createContext<PageContext | null>(null)

/** What every section shares. Throws outside the page. */
export function usePage(): PageContext {
  const page = useContext(Page)
  if (page === null) throw new Error('There is no page around this part.')
  return page
}
