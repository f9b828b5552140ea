import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { CITATIONS, citationsOf } from '../scripts/citations.ts'
import { createSchema } from '../src/graphql/schema/schema.ts'
import { createSites } from '../src/upstream/client/sites.ts'
import { createUpstreamClient } from '../src/upstream/upstream-client.ts'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/gaps.md'), 'utf8')
const paymentsApi = readFileSync(join(root, 'docs/payments-api.md'), 'utf8')
const schema = createSchema({ production: false })
const textsOf = (pattern: string) => {
  const paths = globSync(pattern, { cwd: root }).toSorted()
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}
const sources = textsOf('{src,packages/*/src}/**/*.ts')

/** The numbers of the headings of docs/payments-api.md. */
const headings = [...paymentsApi.matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? /gm)].map(([, number = '']) => number)

/** Returns the cells of every row of every table of a page, without header rows. */
function rowsOf(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('|'))
  const rows = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  return rows.filter((_row, index) => !isRule(rows[index]) && !isRule(rows[index + 1]))
}

function isRule(cells: readonly string[] | undefined): boolean {
  return cells !== undefined && cells.every((cell) => /^-+$/.test(cell))
}

const codeIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? '')

const rows = rowsOf(page)
const words = new Set(codeIn(page))
const rootFields = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
  Object.keys(type?.getFields() ?? {})
    .filter((name) => !/^_(?:service|entities)$/.test(name))
    .map((name) => ({ name, coordinate: `${type?.name}.${name}` })),
)

describe('the endpoints in docs/gaps.md', () => {
  it('name only fields and types of the schema', () => {
    const coordinates = [...words].filter((word) => /^[A-Z][a-z]\w*\.\w+$/.test(word))
    expect(coordinates.filter((coordinate) => !isInSchema(coordinate))).toEqual([])
  })

  it('have every field of Query, Mutation and Subscription, and no test lacks one', () => {
    expect(rootFields.length).toBeGreaterThan(30)
    expect(rootFields.filter(({ coordinate }) => !words.has(coordinate))).toEqual([])
    const tests = [...textsOf('test/{e2e,rights,support}/**/*.ts').values()].join('\n')
    expect(rootFields.filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(tests))).toEqual([])
  })

  it('have every call to the payments API', async () => {
    const client = createUpstreamClient({
      baseUrl: 'http://127.0.0.1:9/api',
      sites: createSites([{ id: 'aud', appId: 'a', secretKey: 'k', currencies: ['AUD'] }]),
    })
    const calls = Object.keys(client).filter((name) => name !== 'close' && name !== 'retriesLeft')
    await client.close()
    expect(calls.length).toBeGreaterThan(20)
    const named = new Set(rows.filter((cells) => cells.length === 4).flatMap(([, , call = '']) => codeIn(call)))
    expect([...named].sort()).toEqual(calls.sort())
  })
})

function isInSchema(coordinate: string): boolean {
  const [name = '', member] = coordinate.split('.')
  const type = schema.getType(name)
  if (type === undefined || member === undefined) return type !== undefined
  if (isEnumType(type)) return type.getValue(member) !== undefined
  return (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) && member in type.getFields()
}

/** The values in the tables of docs/payments-api.md, by the enumeration that contains them. */
const TABLES: Readonly<Record<string, string>> = {
  // Section 3.2
  PayinStatus: `pending authorised waiting received expired return_pending return_expired partially_refunded
    return_received return_rejected failed in_dispute dispute_lost`,
  // Section 2.1
  PaymentAgreementStatus: 'created active suspended cancelled failed',
  PaymentAgreementPurpose: `MORTGAGE UTILITY LOAN DEPENDANT_SUPPORT GAMBLING RETAIL SALARY PERSONAL GOVERNMENT PENSION TAX
    OTHER_SERVICE`,
  // Section 2.2
  PaymentAgreementFrequency: 'ADHOC DAILY FORTNIGHTLY INTRADAY SEMIANNUAL MONTHLY QUARTERLY WEEKLY ANNUAL',
  PaymentAgreementAmountRule: 'VARIABLE FIXED USAGE_BASED BALLOON',
  // Section 2.3
  PaymentPayIdType: 'EMAIL PHONE ABN',
  // Section 7.2
  PaymentFailureCode: `account_closed amount_invalid amount_too_large amount_too_small authentication_expired
    authentication_failed authentication_required capture_not_authorised card_decline_rate_limit_exceeded card_expired
    card_lost card_not_supported card_number_incorrect card_restricted card_stolen card_velocity_exceeded
    currency_not_supported customer_canceled cvc_incorrect debit_not_authorised expiry_month_invalid expiry_year_invalid
    fraudulent generic_declined insufficient_funds issuer_declined issuer_not_available pin_required pin_try_exceeded
    processing_error return_url_invalid transaction_is_blocked transaction_duplicated withdrawal_count_limit_exceeded`,
}

const COUNTS: Readonly<Record<string, number>> = {
  PaymentStatus: 13,
  PaymentAgreementStatus: 5,
  PaymentFailureCode: 34,
}

describe('the schema', () => {
  it.each(Object.entries(TABLES))(
    'has in %s each value of docs/payments-api.md, and one for those to come',
    (name, text) => {
      const documented = text.split(/\s+/)
      expect(documented).toHaveLength(COUNTS[name] ?? documented.length)
      const type = schema.getType(name)
      const values = isEnumType(type) ? type.getValues().map((value) => value.name) : []
      expect(values.sort()).toEqual([...documented.map((value) => value.toUpperCase()), 'UNRECOGNISED'].sort())
    },
  )

  it.each(Object.keys(TABLES).filter((name) => schema.getType(`${name}Input`) !== undefined))(
    'takes in %sInput what it shows in %s',
    (name) => {
      const [shown, taken] = [schema.getType(name), schema.getType(`${name}Input`)].map((type) =>
        isEnumType(type) ? type.getValues().map((value) => value.name) : [],
      )
      expect(taken).toEqual(shown?.filter((value) => value !== 'UNRECOGNISED'))
    },
  )
})

describe('docs/payments-api.md', () => {
  const cited = [...citationsOf(CITATIONS.paymentsApi, sources).keys()]

  it('is cited', () => {
    expect(cited.length).toBeGreaterThan(20)
  })

  it.each(cited)('has section %s, which is cited', (number) => {
    expect(headings).toContain(number)
  })

  it.each(Object.entries(TABLES))('lists each value of %s', (name, text) => {
    const listed = new Set(codeIn(paymentsApi))
    const prefix = name === 'PaymentAgreementAmountRule' ? '_agreement_details_obj' : ''
    const values = text.split(/\s+/).map((value) => (prefix === '' ? value : `${value.toLowerCase()}${prefix}`))
    expect(values.filter((value) => !listed.has(value.replace('usage_based_', 'usage_bases_')))).toEqual([])
  })
})

describe('docs/gaps.md', () => {
  const entries = new Set(rows.filter((cells) => cells.length === 3).map(([number = '']) => number))
  const cited = [...citationsOf(CITATIONS.gaps, sources).keys()]

  it('is cited', () => {
    expect(cited.length).toBeGreaterThan(30)
  })

  it.each(cited)('has an entry for %s, which is cited', (number) => {
    const chapter = number.split('.')[0] ?? ''
    const isThere =
      entries.has(number) || entries.has(chapter) || [...entries].some((entry) => entry.startsWith(`${number}.`))
    expect(isThere).toBe(true)
  })
})
