import type { ComponentType } from 'preact'
import type { KindName } from './dialogs/new-dialog.tsx'
import { Access, Values } from './sections/access-section.tsx'
import { GatewayPayments, Links, Payins } from './sections/links-section.tsx'
import { Agreements, Calls, Contacts, Deposits, Payouts, Webhooks } from './sections/record-sections.tsx'
import { Scenarios } from './sections/scenarios-section.tsx'
import { Faults, Reset } from './sections/state-sections.tsx'
import type { Snapshot } from './state/endpoints.ts'

export type Section = {
  /** The name of the section in the URL. */
  readonly name: string
  readonly title: string
  readonly glyph: string
  readonly Content: ComponentType
  readonly count?: (snapshot: Snapshot) => number
  /** The section's list is read in parts. */
  readonly isLong?: true
  /** What can be created in it. */
  readonly creates?: KindName
}

const LINKS: Section = {
  name: 'links',
  title: 'Links',
  glyph: 'links',
  Content: Links,
  count: ({ state }) => state.counters.links,
  isLong: true,
  creates: 'links',
}

const list = (section: Omit<Section, 'isLong'>): Section => ({ ...section, isLong: true })

/** All sections in their groups, in the order of the navigation. */
export const GROUPS: readonly (readonly [title: string, sections: readonly Section[]])[] = [
  [
    'Money in',
    [
      LINKS,
      list({
        name: 'payins',
        title: 'Payins',
        glyph: 'payments',
        Content: Payins,
        count: ({ state }) => state.counters.payins,
        creates: 'payins',
      }),
      list({
        name: 'gateway',
        title: 'Gateway payments',
        glyph: 'gateway',
        Content: GatewayPayments,
        count: ({ state }) => state.counters.gatewayPayments,
      }),
      list({
        name: 'agreements',
        title: 'Agreements',
        glyph: 'agreements',
        Content: Agreements,
        count: ({ state }) => state.counters.agreements,
        creates: 'agreements',
      }),
    ],
  ],
  [
    'Money out',
    [
      list({
        name: 'payouts',
        title: 'Payouts',
        glyph: 'payouts',
        Content: Payouts,
        count: ({ state }) => state.counters.payouts,
        creates: 'payouts',
      }),
      list({
        name: 'deposits',
        title: 'Refunds and deposits',
        glyph: 'undo',
        Content: Deposits,
        count: ({ state }) => state.counters.deposits,
        creates: 'deposits',
      }),
      list({
        name: 'contacts',
        title: 'Contacts',
        glyph: 'contacts',
        Content: Contacts,
        count: ({ state }) => state.counters.contacts,
        creates: 'contacts',
      }),
    ],
  ],
  [
    'Traffic',
    [
      list({
        name: 'webhooks',
        title: 'Webhooks',
        glyph: 'webhooks',
        Content: Webhooks,
        count: ({ state }) => state.counters.webhooks,
      }),
      list({
        name: 'calls',
        title: 'Calls',
        glyph: 'terminal',
        Content: Calls,
        count: ({ state }) => state.counters.calls,
      }),
    ],
  ],
  [
    'Control',
    [
      {
        name: 'faults',
        title: 'Faults',
        glyph: 'bug',
        Content: Faults,
        count: ({ state }) => state.counters.faultsLeft,
      },
      { name: 'scenarios', title: 'Scenarios', glyph: 'play', Content: Scenarios },
      { name: 'values', title: 'Magic values', glyph: 'bolt', Content: Values },
      { name: 'access', title: 'Access', glyph: 'key', Content: Access },
      { name: 'reset', title: 'Reset', glyph: 'reset', Content: Reset },
    ],
  ],
]

/** Returns the section with this name; the first one for an unknown name. */
export function sectionAt(name: string): Section {
  return GROUPS.flatMap(([, sections]) => sections).find((section) => section.name === name) ?? LINKS
}
