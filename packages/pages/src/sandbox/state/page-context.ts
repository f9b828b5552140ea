import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Facts, Query, Snapshot } from './endpoints.ts'

/** State and actions that all sections of the page share. */
export type PageContext = {
  readonly facts: Facts
  readonly snapshot: Snapshot
  readonly query: Query
  /** The result of the last action. */
  readonly notice: string
  readonly act: Act
  /** Opens the actions of one subject. */
  readonly open: (subject: Subject) => void
  /** Opens one webhook by its id. */
  readonly openWebhook: (id: string) => void
}

/** Runs an action and shows its result: `done`, or the error. Returns whether it succeeded. */
export type Act = <Answer>(work: () => Promise<Answer>, done: string | ((answer: Answer) => string)) => Promise<boolean>

/** An object whose status can be set and which sends webhooks. */
export type Subject = {
  readonly kind: 'links' | 'payins' | 'gateway_payments' | 'agreements' | 'payouts'
  /** Its id in the control endpoints. */
  readonly id: string
  /** Its id in the webhook records. */
  readonly webhookSubject: string
  readonly title: string
}

export const Page = createContext<PageContext | null>(null)

/** Returns the shared context. Throws outside the page. */
export function usePage(): PageContext {
  const page = useContext(Page)
  if (page === null) throw new Error('There is no page around this part.')
  return page
}
