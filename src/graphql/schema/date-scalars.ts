import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql'

/** An instant of RFC 3339, without leap seconds; the first group is its date. */
const INSTANT =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i
const DATE = /^\d{4}-\d{2}-\d{2}$/

/** The format of `Date.toISOString`, which all stored instants have. Days 29 to 31 do not match: they need the calendar check. */
const STORED_INSTANT = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** An instant: parsed to a `Date`, serialised in UTC with milliseconds. */
export const dateTimeScalar = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  serialize: (value) =>
    typeof value === 'string' && STORED_INSTANT.test(value) ? value : readInstant(value).toISOString(),
  parseValue: readInstant,
  parseLiteral: (node) => readInstant(textOf(node, 'DateTime')),
})

/** A calendar date, as a string. */
export const localDateScalar = new GraphQLScalarType<string, string>({
  name: 'LocalDate',
  serialize: readDate,
  parseValue: readDate,
  parseLiteral: (node) => readDate(textOf(node, 'LocalDate')),
})

function readInstant(value: unknown): Date {
  const date = typeof value === 'string' ? INSTANT.exec(value)?.[1] : undefined
  const instant = date !== undefined && isInCalendar(date) ? new Date(String(value)) : value
  if (instant instanceof Date && !Number.isNaN(instant.getTime())) return instant
  throw new GraphQLError('DateTime must be an instant of RFC 3339 such as "2026-01-31T09:30:00Z".')
}

function readDate(value: unknown): string {
  if (typeof value === 'string' && DATE.test(value) && isInCalendar(value)) return value
  throw new GraphQLError('LocalDate must be a day of the calendar such as "2026-01-31".')
}

/** Returns whether the day exists in its month. `Date` reads the 30th of February as a day in March. */
function isInCalendar(date: string): boolean {
  const day = new Date(date)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date)
}

function textOf(node: ValueNode, scalar: string): string {
  if (node.kind === Kind.STRING) return node.value
  throw new GraphQLError(`${scalar} must be a string.`, { nodes: node })
}
