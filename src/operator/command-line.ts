import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { UsageError } from './operator-answers.ts'

export type DeliveriesCommand = {
  readonly kind: 'deliveries'
  /** Null for every disposition. */
  readonly dispositions: readonly string[] | null
  readonly subject: string | null
  readonly limit: number
  readonly json: boolean
}
export type DeliveryCommand = { readonly kind: 'delivery'; readonly id: string; readonly json: boolean }
export type ReplayCommand = Omit<DeliveryCommand, 'kind'> & { readonly kind: 'replay'; readonly apply: boolean }

/** What payers are erased by, as the graph names it, by the option. */
const ERASED_BY = {
  payment: 'PAYMENT',
  link: 'LINK',
  agreement: 'AGREEMENT',
  payout: 'PAYOUT',
  owner: 'OWNER',
  email: 'EMAIL',
} as const

export type ErasePayerCommand = {
  readonly kind: 'erase-payer'
  readonly by: (typeof ERASED_BY)[keyof typeof ERASED_BY]
  readonly value: string
  readonly json: boolean
}
export type KeysCommand = { readonly kind: 'keys'; readonly json: boolean }
export type ErasuresCommand = { readonly kind: 'erasures'; readonly limit: number; readonly json: boolean }
export type ExportCommand = {
  readonly kind: 'export'
  readonly format: 'csv' | 'ndjson'
  /** Bounds of the last change; null for none. */
  readonly from: Date | null
  readonly before: Date | null
  /** Empty for every phase. */
  readonly phases: readonly string[]
  readonly reference: string | null
}

export type ImportCommand = {
  readonly kind: 'import'
  /** An import that was begun before; null to begin one with the interval. */
  readonly id: string | null
  readonly from: Date | null
  readonly to: Date | null
  readonly dryRun: boolean
  /** Empty for all sites. */
  readonly sites: readonly string[]
  readonly json: boolean
}
export type ReconcileCommand = {
  readonly kind: 'reconcile'
  /** A day in UTC, such as 2026-11-24; null for the latest one. */
  readonly day: string | null
  readonly json: boolean
}

export type UnansweredCommand = { readonly kind: 'unanswered'; readonly limit: number; readonly json: boolean }
export type SettleCommand = {
  readonly kind: 'settle'
  /** Of an operation. */
  readonly id: string
  /** Null if it has made no payment. */
  readonly paymentId: string | null
  readonly json: boolean
}

export type Command =
  | UnansweredCommand
  | SettleCommand
  | DeliveriesCommand
  | DeliveryCommand
  | ReplayCommand
  | ErasePayerCommand
  | ErasuresCommand
  | KeysCommand
  | ExportCommand
  | ImportCommand
  | ReconcileCommand
  | { readonly kind: 'documents' }
  | { readonly kind: 'help' }

export type CommandLine = { readonly command: Command; readonly url: string | null }

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 1000
/** Maximum page size of the graph. */
const MAX_PAGE = 100
const LIMIT_OPTION = { type: 'string', default: String(DEFAULT_LIMIT) } as const

const URL_OPTION = { url: { type: 'string' }, help: { type: 'boolean' } } as const
const JSON_OPTION = { ...URL_OPTION, json: { type: 'boolean', default: false } } as const

/**
 * Parses the arguments of a command. Throws `UsageError`; the message does not repeat an argument that was
 * given in place of an option.
 */
export function readCommandLine(args: readonly string[]): CommandLine {
  const [name, ...rest] = args
  if (name === undefined) throw new UsageError('The command is missing.')
  if (rest.includes('--help') || name === '--help' || name === 'help') return { command: { kind: 'help' }, url: null }
  switch (name) {
    case 'deliveries':
      return readDeliveries(rest)
    case 'delivery': {
      const { values, positionals } = parse(rest, JSON_OPTION)
      return { command: { kind: 'delivery', id: onlyId(positionals), json: values.json }, url: values.url ?? null }
    }
    case 'replay': {
      const { values, positionals } = parse(rest, { ...JSON_OPTION, apply: { type: 'boolean', default: false } })
      const { json, apply } = values
      return { command: { kind: 'replay', id: onlyId(positionals), json, apply }, url: values.url ?? null }
    }
    case 'erase-payer':
      return readErasePayer(rest)
    case 'erasures': {
      const { values, positionals } = parse(rest, { ...JSON_OPTION, limit: LIMIT_OPTION })
      noneOf(positionals)
      return { command: { kind: 'erasures', limit: limitIn(values.limit), json: values.json }, url: values.url ?? null }
    }
    case 'keys': {
      const { values, positionals } = parse(rest, JSON_OPTION)
      noneOf(positionals)
      return { command: { kind: 'keys', json: values.json }, url: values.url ?? null }
    }
    case 'export':
      return readExport(rest)
    case 'import':
      return readImport(rest)
    case 'reconcile': {
      const { values, positionals } = parse(rest, { ...JSON_OPTION, day: { type: 'string' } })
      noneOf(positionals)
      return { command: { kind: 'reconcile', day: dayIn(values.day), json: values.json }, url: values.url ?? null }
    }
    case 'unanswered': {
      const { values, positionals } = parse(rest, { ...JSON_OPTION, limit: LIMIT_OPTION })
      noneOf(positionals)
      const limit = Math.min(limitIn(values.limit), MAX_PAGE)
      return { command: { kind: 'unanswered', limit, json: values.json }, url: values.url ?? null }
    }
    case 'settle':
      return readSettle(rest)
    case 'documents':
      noneOf(parse(rest, URL_OPTION).positionals)
      return { command: { kind: 'documents' }, url: null }
    default:
      throw new UsageError('Unknown command.')
  }
}

function readDeliveries(args: readonly string[]): CommandLine {
  const { values, positionals } = parse(args, {
    ...JSON_OPTION,
    quarantined: { type: 'boolean', default: false },
    doubtful: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    subject: { type: 'string' },
    limit: LIMIT_OPTION,
  })
  noneOf(positionals)
  const { quarantined, doubtful, all, subject, json } = values
  if (all && (quarantined || doubtful)) throw new UsageError('--all excludes --quarantined and --doubtful.')
  const both = quarantined === doubtful
  const dispositions = [...(both || quarantined ? ['QUARANTINED'] : []), ...(both || doubtful ? ['DOUBTFUL'] : [])]
  return {
    command: {
      kind: 'deliveries',
      dispositions: all ? null : dispositions,
      subject: subject ?? null,
      limit: limitIn(values.limit),
      json,
    },
    url: values.url ?? null,
  }
}

function readErasePayer(args: readonly string[]): CommandLine {
  const text = { type: 'string' } as const
  const options = { payment: text, link: text, agreement: text, payout: text, owner: text, email: text }
  const { values, positionals } = parse(args, { ...JSON_OPTION, ...options })
  noneOf(positionals)
  const [given, ...more] = Object.entries(ERASED_BY).flatMap(([name, by]) => {
    const value = values[name as keyof typeof ERASED_BY]
    return value === undefined ? [] : [{ by, value }]
  })
  if (given === undefined || more.length > 0)
    throw new UsageError('Pass exactly one of --payment, --link, --agreement, --payout, --owner and --email.')
  return { command: { kind: 'erase-payer', ...given, json: values.json }, url: values.url ?? null }
}

function readExport(args: readonly string[]): CommandLine {
  const text = { type: 'string' } as const
  const { values, positionals } = parse(args, {
    ...URL_OPTION,
    format: { ...text, default: 'csv' },
    from: text,
    before: text,
    reference: text,
    phase: { type: 'string', multiple: true, default: [] },
  })
  noneOf(positionals)
  const { format, phase, reference = null, url = null } = values
  if (format !== 'csv' && format !== 'ndjson') throw new UsageError('--format must be csv or ndjson.')
  const [from, before] = [instantIn('--from', values.from), instantIn('--before', values.before)]
  return { command: { kind: 'export', format, from, before, phases: phase, reference }, url }
}

function readImport(args: readonly string[]): CommandLine {
  const text = { type: 'string' } as const
  const dryRun = { type: 'boolean', default: false } as const
  const sites = { type: 'string', multiple: true, default: [] as string[] } as const
  const { values, positionals } = parse(args, {
    ...JSON_OPTION,
    id: text,
    from: text,
    to: text,
    'dry-run': dryRun,
    site: sites,
  })
  noneOf(positionals)
  const { id = null, json, site, url = null } = values
  const [from, to] = [instantIn('--from', values.from), instantIn('--to', values.to)]
  if (id === null && from === null) throw new UsageError('--from is required: the start of the interval to import.')
  if (id !== null && (from !== null || to !== null || values['dry-run'] || site.length > 0))
    throw new UsageError('--id shows an existing import and takes no interval, sites or --dry-run.')
  return {
    command: { kind: 'import', id, from, to: to ?? new Date(), dryRun: values['dry-run'], sites: site, json },
    url,
  }
}

function readSettle(args: readonly string[]): CommandLine {
  const isNotCreated = { type: 'boolean', default: false } as const
  const { values, positionals } = parse(args, {
    ...JSON_OPTION,
    created: { type: 'string' },
    'not-created': isNotCreated,
  })
  const { created: paymentId = null, json, url = null } = values
  if ((paymentId !== null) === values['not-created']) throw new UsageError('Pass either --created or --not-created.')
  return { command: { kind: 'settle', id: onlyId(positionals, 'an operation'), paymentId, json }, url }
}

function dayIn(text: string | undefined): string | null {
  if (text === undefined) return null
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(text) : null
  // A day that the month does not have is read as one of the next month.
  if (day === null || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text))
    throw new UsageError('--day must be a day such as 2026-11-24.')
  return text
}

/** Takes an instant with its offset only: without one it would be another instant in each time zone. */
function instantIn(option: string, text: string | undefined): Date | null {
  if (text === undefined) return null
  const instant = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text) ? new Date(text) : null
  if (instant === null || Number.isNaN(instant.getTime()))
    throw new UsageError(`${option} must be an instant such as 2026-11-01T00:00:00Z.`)
  return instant
}

function parse<Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'The arguments cannot be read.')
  }
}

function onlyId(positionals: readonly string[], what = 'a delivery'): string {
  const [id, ...rest] = positionals
  if (id === undefined || id === '') throw new UsageError(`The id of ${what} is missing.`)
  noneOf(rest)
  return id
}

function noneOf(positionals: readonly string[]): void {
  if (positionals.length > 0) throw new UsageError('Too many arguments.')
}

function limitIn(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > MAX_LIMIT) throw new UsageError(`--limit must be a whole number from 1 to ${MAX_LIMIT}.`)
  return limit
}
