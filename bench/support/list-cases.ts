import { readFileSync } from 'node:fs'
import { buildSchema, getNamedType, isEnumType, isInputObjectType, type GraphQLInputField } from 'graphql'
import type { Store } from '../../src/ledger/store.ts'
import type { PageCursor } from '../../src/store/port.ts'
import {
  agreementId,
  type Filling,
  gatewayPaymentId,
  instantOf,
  linkId,
  paymentId,
  payoutId,
  reference,
  SHARED_REFERENCE,
  START,
} from './fill-database.ts'

export type Lists = Pick<Store, 'payments' | 'links' | 'agreements' | 'payouts' | 'gatewayPayments' | 'log'> & {
  readonly inbox: Pick<Store['inbox'], 'page' | 'subjectOf' | 'byIds' | 'backlog'>
}

export type ListCase = {
  /** The root field of the schema. */
  readonly list: string
  readonly filter: Readonly<Record<string, unknown>>
  /** Short description of the request: `payments(reference=shared, phases=rare) onwards`. */
  readonly name: string
  /** Number of values in the filter. */
  readonly keys: number
  /** Reads a page, by default of 100 rows from where the case begins. */
  read(lists: Lists, limit?: number, place?: Place | null): Promise<ListPage>
}

export type ListPage = { readonly rows: readonly unknown[]; readonly next: Place | null }

const LIMIT = 100

type Value = { readonly label: string; readonly value: unknown }

/**
 * Returns the combinations of conditions that the schema allows, for a database that `fillDatabase` has filled: up to three fields of each
 * filter, with values that match many rows, few and none, from the start of the list and from its middle. Throws if this module does not
 * cover a list or a field.
 */
export function listCases(filling: Filling): ListCase[] {
  const schema = buildSchema(readFileSync('schema.graphql', 'utf8'), { assumeValid: true })
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {})
  return fields.flatMap(({ name: list, args }) => {
    const filter = args.find(({ name }) => name === 'filter')
    const read = READERS[list]
    if (filter === undefined) return []
    const type = getNamedType(filter.type)
    if (read === undefined || !isInputObjectType(type)) throw new Error(`Nobody has thought of the list ${list}.`)
    const choices = Object.values(type.getFields()).map((field) => ({ field, values: valuesOf(field, filling) }))
    return [false, true].flatMap((onwards) =>
      combinations(choices)
        .filter(isWorthACase)
        .map((chosen): ListCase => {
          const given = Object.fromEntries(chosen.map(({ field, value }) => [field, value.value]))
          const shown = chosen.map(({ field, value }) => `${field}=${value.label}`).join(', ')
          const keys = Object.values(given).reduce<number>(
            (sum, value) => sum + (Array.isArray(value) ? value.length : 1),
            0,
          )
          return {
            list,
            filter: given,
            name: `${list}(${shown})${onwards ? ' onwards' : ''}`,
            keys,
            read: (lists, limit = LIMIT, place = onwards ? placeOf(filling, given) : null) =>
              read(lists, given, { limit, before: place }),
          }
        }),
    )
  })
}

type Place = PageCursor
type Reader = (
  lists: Lists,
  filter: object,
  page: { readonly limit: number; readonly before: Place | null },
) => Promise<ListPage>

/** Reads a page of each list, by its root field. */
export const READERS: Readonly<Record<string, Reader>> = {
  payments: ({ payments }, filter, page) => payments.page(page, filter),
  paymentLinks: ({ links }, filter, page) => links.page(page, filter),
  paymentAgreements: ({ agreements }, filter, page) => agreements.page(page, filter),
  recordedPayouts: ({ payouts }, filter, page) => payouts.page(page, filter),
  gatewayPayments: ({ gatewayPayments }, filter, page) => gatewayPayments.page(page, filter),
  paymentEvents: async ({ log }, filter, { limit, before }) => {
    const { events, next } = await log.newest(limit, filter, before?.number)
    return { rows: events.toReversed(), next: next === null ? null : { number: next } }
  },
  webhookDeliveries: ({ inbox }, filter, page) => inbox.page(page, filter),
}

/** Returns the place in the middle of every list. */
function placeOf(filling: Filling, filter: object): Place {
  const fields = Object.keys(filter)
  const number = Math.ceil(filling.payments / 2)
  const instant = INSTANTS.find((name) => fields.includes(name))
  if (instant === undefined || fields.some((name) => RARE.has(name))) return { number, at: null }
  return { number, at: middle(filling).getTime(), order: instant.startsWith('updated') ? 'UPDATED' : 'CREATED' }
}

/** The first of them decides the order. */
const INSTANTS: readonly string[] = ['updatedFrom', 'updatedBefore', 'createdFrom', 'createdBefore']
/** Conditions with which a list stays in the order of its numbers. */
const RARE: ReadonlySet<string> = new Set(['ids', 'reference', 'clientTransactionId', 'ownerId', 'duplicate'])

const middle = (filling: Filling): Date => new Date(instantOf(filling, filling.payments / 2))

function valuesOf({ name, type }: GraphQLInputField, filling: Filling): Value[] {
  const { payments } = filling
  const named = getNamedType(type)
  const all = isEnumType(named) ? named.getValues().map((value) => spelled(name, value.name)) : []
  const half = Math.floor(payments / 2)
  const ids = (idOf: (n: number) => string): Value[] => [
    { label: 'one', value: [idOf(50)] },
    { label: 'many', value: ['NONE', ...Array.from({ length: 120 }, (_, n) => idOf(1 + ((half + 7 * n) % payments)))] },
  ]
  const choices: Readonly<Record<string, () => Value[]>> = {
    reference: () => [
      { label: 'one', value: reference(half + 1) },
      { label: 'shared', value: SHARED_REFERENCE },
      { label: 'none', value: 'NONE' },
    ],
    paymentIds: () => ids(paymentId),
    linkIds: () => ids(linkId),
    agreementIds: () => ids(agreementId),
    payoutIds: () => ids(payoutId),
    gatewayPaymentIds: () => ids(gatewayPaymentId),
    ids: () => [
      { label: 'one', value: IDS.map((idOf) => idOf(50)) },
      {
        label: 'many',
        value: IDS.flatMap((idOf) => Array.from({ length: 20 }, (_, n) => idOf(1 + ((half + 7 * n) % payments)))),
      },
    ],
    ownerId: () => [{ label: 'none', value: 'NONE' }],
    cardLast4: () => [{ label: 'none', value: '4242' }],
    amount: () => [{ label: 'all', value: { currency: 'AUD', min: '1', max: '100' } }],
    subjectIds: () => ids(paymentId),
    needsAttention: () => [{ label: 'yes', value: true }],
    duplicate: () => [{ label: 'open', value: true }],
    phases: () => some(all, 'DISPUTED', 'EXPIRED', 'IN_PROGRESS'),
    statuses: () => {
      if (all.includes('in_dispute')) return some(all, 'in_dispute', 'received')
      if (all.includes('active')) return some(all, 'suspended', 'active')
      return all.includes('completed') ? some(all, 'expired', 'completed') : some(all, 'expired', 'received')
    },
    methodCode: () => [
      { label: 'one', value: 'au_bank_aud' },
      { label: 'none', value: 'NONE' },
    ],
    currency: () => [{ label: 'one', value: 'AUD' }],
    site: () => [{ label: 'one', value: 'au' }],
    clientTransactionId: () => [{ label: 'none', value: 'NONE' }],
    kinds: () =>
      all.includes('PAYMENT')
        ? some(all, 'AGREEMENT', 'PAYMENT')
        : some(all, 'AGREEMENT_CREATED', 'PAYMENT_STATUS_CHANGED'),
    dispositions: () => some(all, 'QUARANTINED', 'APPLIED'),
    createdFrom: () => from(filling),
    receivedFrom: () => from(filling),
    receivedBefore: () => until(filling),
    updatedFrom: () => from(filling),
    createdBefore: () => until(filling),
    updatedBefore: () => until(filling),
  }
  const values = choices[name]
  if (values === undefined) throw new Error(`Nobody has thought of the condition ${name}.`)
  return values()
}

function from(filling: Filling): Value[] {
  return [
    // With the middle as its end, an interval of many rows.
    { label: 'first quarter', value: new Date(instantOf(filling, filling.payments / 4)) },
    { label: 'middle', value: middle(filling) },
    { label: 'after all', value: new Date(START * 2) },
  ]
}

function until(filling: Filling): Value[] {
  return [
    { label: 'middle', value: new Date(middle(filling).getTime() + 1) },
    { label: 'before all', value: new Date(0) },
  ]
}

/** Returns the chosen values one by one, and all values together. Throws if a chosen value is not in the schema. */
function some(all: readonly string[], ...chosen: readonly string[]): Value[] {
  const unknown = chosen.find((name) => !all.includes(name))
  if (unknown !== undefined) throw new Error(`The schema knows no ${unknown}.`)
  return [...chosen.map((name) => ({ label: name, value: [name] })), { label: 'all', value: all }]
}

/** Returns a value as the store contains it. Statuses of agreements have the spelling of the payments API there. */
function spelled(field: string, value: string): string {
  return field === 'statuses' ? value.toLowerCase() : value
}

const MOST_CHOSEN = 3
/** Conditions that are only ever checked on rows. */
const CHECKED: ReadonlySet<string> = new Set(['methodCode', 'currency', 'amount', 'cardLast4', 'site', 'statuses'])
const IDS = [paymentId, linkId, agreementId, payoutId, gatewayPaymentId]

type Chosen = { readonly field: string; readonly value: Value }

function combinations([first, ...others]: readonly Choice[]): Chosen[][] {
  if (first === undefined) return [[]]
  const rest = combinations(others)
  const { field, values } = first
  const shorter = rest.filter(({ length }) => length < MOST_CHOSEN)
  return rest.concat(values.flatMap((value) => shorter.map((chosen) => [{ field: field.name, value }].concat(chosen))))
}

/**
 * One condition chooses the index, and two instants a part of it; others are all checked on its rows. Payouts and gateway payments have
 * their events in tables of their own: with another subject the answer is empty without a query.
 */
function isWorthACase(chosen: readonly Chosen[]): boolean {
  const subjects = chosen.filter(({ field }) => field.endsWith('Ids'))
  if (subjects.length > 1 && subjects.some(({ field }) => OF_OWN_TABLES.has(field))) return false
  return chosen.filter(({ field }) => CHECKED.has(field)).length <= 1
}

const OF_OWN_TABLES: ReadonlySet<string> = new Set(['payoutIds', 'gatewayPaymentIds'])

type Choice = { readonly field: GraphQLInputField; readonly values: readonly Value[] }
