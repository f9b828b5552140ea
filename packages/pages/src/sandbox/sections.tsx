import type { ComponentType } from 'preact'
import type { Snapshot } from './endpoints.ts'
import { Access, Values } from './sections/access-section.tsx'
import { GatewayPayments, Links, Payins } from './sections/links-section.tsx'
import { Agreements, Calls, Deposits, Payouts, Webhooks } from './sections/record-sections.tsx'
import { ClockSection, Faults, Reset } from './sections/state-sections.tsx'

export type Section = {
  /** The name of the section in the URL. */
  readonly name: string
  readonly title: string
  readonly Content: ComponentType
  readonly count?: (snapshot: Snapshot) => number
  /** The section's list is read in parts. */
  readonly isLong?: true
}

const LINKS: Section = {
  name: 'links',
  title: 'Links',
  Content: Links,
  count: ({ state }) => state.counters.links,
  isLong: true,
}

/** All sections, in the order of the navigation. */
export const SECTIONS: readonly Section[] = [
  LINKS,
  { name: 'payins', title: 'Payins', Content: Payins, count: ({ state }) => state.counters.payins, isLong: true },
  {
    name: 'gateway',
    title: 'Gateway payments',
    Content: GatewayPayments,
    count: ({ state }) => state.counters.gatewayPayments,
    isLong: true,
  },
  {
    name: 'agreements',
    title: 'Agreements',
    Content: Agreements,
    count: ({ state }) => state.counters.agreements,
    isLong: true,
  },
  { name: 'payouts', title: 'Payouts', Content: Payouts, count: ({ state }) => state.counters.payouts, isLong: true },
  {
    name: 'deposits',
    title: 'Refunds and deposits',
    Content: Deposits,
    count: ({ state }) => state.counters.deposits,
    isLong: true,
  },
  {
    name: 'webhooks',
    title: 'Webhooks',
    Content: Webhooks,
    count: ({ state }) => state.counters.webhooks,
    isLong: true,
  },
  { name: 'calls', title: 'Calls', Content: Calls, count: ({ state }) => state.counters.calls, isLong: true },
  { name: 'clock', title: 'Clock', Content: ClockSection },
  { name: 'faults', title: 'Faults', Content: Faults, count: ({ state }) => state.counters.faultsLeft },
  { name: 'values', title: 'Magic values', Content: Values },
  { name: 'access', title: 'Access', Content: Access },
  { name: 'reset', title: 'Reset', Content: Reset },
]

/** Returns the section with this name; the first one for an unknown name. */
export function sectionAt(name: string): Section {
  return SECTIONS.find((section) => section.name === name) ?? LINKS
}
