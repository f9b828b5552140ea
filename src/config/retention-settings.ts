import { bad, good, type Parsed, type SettingReader, parseLine, wholeNumber } from './read-setting.ts'

/** Where rows are archived before they are pruned: a folder, or nowhere. */
export type ArchiveTarget = { readonly kind: 'folder'; readonly path: string } | { readonly kind: 'none' }

/** How long rows are kept, in days. */
export type RetentionConfig = {
  /** Null: events are kept for ever. */
  readonly eventsDays: number | null
  /** Null: deliveries are kept for ever. */
  readonly deliveriesDays: number | null
  /** How long a repeat of a pruned delivery is recognised, counted from its first receipt. */
  readonly deliveryKeysDays: number
  /** Null if nothing is pruned. */
  readonly archive: ArchiveTarget | null
}

/** Commands look for events and deliveries of the last thirty days. */
const LEAST_DAYS = 31
const MOST_DAYS = 36_500
const DELIVERY_KEYS_DAYS = 400

/** Reads the settings of the retention. Rows are pruned only if it is said where they are archived, or that they are not. */
export function readRetention(reading: SettingReader): RetentionConfig {
  const days = wholeNumber(LEAST_DAYS, MOST_DAYS)
  const retention = {
    eventsDays: reading.read('RETENTION_EVENTS_DAYS', days, null),
    deliveriesDays: reading.read('RETENTION_DELIVERIES_DAYS', days, null),
    deliveryKeysDays: reading.read('RETENTION_DELIVERY_KEYS_DAYS', days, DELIVERY_KEYS_DAYS),
    archive: reading.read('ARCHIVE_URL', parseArchive, null),
  }
  const prunes = retention.eventsDays !== null || retention.deliveriesDays !== null
  if (prunes && reading.text('ARCHIVE_URL') === null)
    reading.fault(
      'ARCHIVE_URL',
      'is required with RETENTION_EVENTS_DAYS or RETENTION_DELIVERIES_DAYS: a folder such as file:/var/archive, or none to discard what is pruned',
    )
  return retention
}

function parseArchive(text: string): Parsed<ArchiveTarget> {
  if (text === 'none') return good({ kind: 'none' })
  const line = parseLine(text)
  if (!line.ok) return line
  const path = /^file:(?:\/\/(?=\/))?([^?#]+)$/.exec(text)?.[1]
  return path === undefined || path.startsWith('//')
    ? bad(
        'must be file: and the path of a folder, such as file:/var/archive, or none; an object store can be mounted as a folder',
      )
    : good({ kind: 'folder', path })
}
