import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { createSchema } from '../src/graphql/schema/schema.ts'
import { createSites } from '../src/upstream/client/sites.ts'
import { createUpstreamClient } from '../src/upstream/client/upstream-client.ts'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/coverage.md'), 'utf8')
const paymentsApi = readFileSync(join(root, 'docs/payments-api.md'), 'utf8')
const schema = createSchema({ production: false })

/** The numbers of the headings of docs/payments-api.md. */
const headings = [...paymentsApi.matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? /gm)].map(([, number = '']) => number)

/** Its sections; sections with subsections are replaced by these. */
const SECTIONS = headings.filter((number) => !headings.some((other) => other.startsWith(`${number}.`)))

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

describe('docs/coverage.md', () => {
  it('names a file of the source and a test in every row, unless it is not offered', () => {
    const bare = rows.filter((cells) => {
      const [source = '', tests = ''] = cells.slice(-2)
      const isNamed = source.includes('`src/') && codeIn(tests).some((path) => /^test\/.*\.ts$/.test(path))
      return !isNamed && !cells.some((cell) => cell.startsWith('not offered'))
    })
    expect(bare).toEqual([])
    expect(rows.length).toBeGreaterThan(80)
  })

  it('names only files that exist', () => {
    const paths = [...words].filter((word) => /^(?:src|test|scripts|docs)\//.test(word))
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it('names only fields, values and types of the schema', () => {
    const coordinates = [...words].filter((word) => /^[A-Z][a-z]\w*(?:\.\w+)?$/.test(word))
    expect(coordinates.filter((coordinate) => !isInSchema(coordinate))).toEqual([])
    expect(coordinates.length).toBeGreaterThan(100)
  })

  it('has every field of Query, Mutation and Subscription', () => {
    const fields = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
      Object.keys(type?.getFields() ?? {}).map((name) => `${type?.name}.${name}`),
    )
    // Fields that federation adds.
    const own = fields.filter((field) => !/^Query\._(?:service|entities)$/.test(field))
    expect(own.length).toBeGreaterThan(30)
    expect(own.filter((field) => !words.has(field))).toEqual([])
  })

  it('names beside each root field a test that uses it', () => {
    const unused = rows.flatMap((cells) => {
      const fields = codeIn(cells.join(' ')).flatMap(
        (word) => /^(?:Query|Mutation|Subscription)\.(\w+)$/.exec(word)?.[1] ?? [],
      )
      const tests = codeIn(cells.at(-1) ?? '').map((path) => withHelpers(join(root, path)))
      return fields.filter((field) => !tests.some((text) => new RegExp(`\\b${field}\\b`).test(text)))
    })
    expect(unused).toEqual([])
  })

  it('has every call to the payments API', async () => {
    const client = createUpstreamClient({
      baseUrl: 'http://127.0.0.1:9/api',
      sites: createSites([{ id: 'aud', appId: 'a', secretKey: 'k', currencies: ['AUD'] }]),
    })
    const calls = Object.keys(client).filter((name) => name !== 'close')
    await client.close()
    expect(calls.length).toBeGreaterThan(20)
    const named = new Set(rows.filter((cells) => cells.length === 6).flatMap(([, , call = '']) => codeIn(call)))
    expect([...named].sort()).toEqual(calls.sort())
  })

  it.each(SECTIONS)('has section %s of docs/payments-api.md', (section) => {
    const named =
      section === '8' ? page.includes('(section 8)') : rows.some(([cell = '']) => cell.split(',')[0] === section)
    expect(named).toBe(true)
  })
})

function isInSchema(coordinate: string): boolean {
  const [name = '', member] = coordinate.split('.')
  const type = schema.getType(name)
  if (type === undefined || member === undefined) return type !== undefined
  if (isEnumType(type)) return type.getValue(member) !== undefined
  return (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) && member in type.getFields()
}

/** Returns the text of a test with that of all test files that it imports, directly or through others. */
function withHelpers(path: string, seen = new Set<string>()): string {
  if (seen.has(path)) return ''
  seen.add(path)
  const text = readFileSync(path, 'utf8')
  const helpers = [...text.matchAll(/from '(\.[^']+\.ts)'/g)].map(([, name]) => join(dirname(path), name ?? ''))
  const ours = helpers.filter((helper) => helper.startsWith(join(root, 'test')))
  return [text, ...ours.map((helper) => withHelpers(helper, seen))].join('\n')
}

/** The values in the tables of docs/payments-api.md, by the enumeration that contains them. */
const TABLES: Readonly<Record<string, string>> = {
  // Section 3.2
  PaymentStatus: `pending authorised waiting received expired return_pending return_expired partially_refunded
    return_received return_rejected failed in_dispute dispute_lost`,
  // Section 2.1
  AgreementStatus: 'created active suspended cancelled failed',
  AgreementPurpose: `MORTGAGE UTILITY LOAN DEPENDANT_SUPPORT GAMBLING RETAIL SALARY PERSONAL GOVERNMENT PENSION TAX
    OTHER_SERVICE`,
  // Section 2.2
  AgreementFrequency: 'ADHOC DAILY FORTNIGHTLY INTRADAY SEMIANNUAL MONTHLY QUARTERLY WEEKLY ANNUAL',
  AgreementAmountRule: 'VARIABLE FIXED USAGE_BASED BALLOON',
  // Section 2.3
  PayIdType: 'EMAIL PHONE ABN',
  // Section 7.2
  PaymentFailureCode: `account_closed amount_invalid amount_too_large amount_too_small authentication_expired
    authentication_failed authentication_required capture_not_authorised card_decline_rate_limit_exceeded card_expired
    card_lost card_not_supported card_number_incorrect card_restricted card_stolen card_velocity_exceeded
    currency_not_supported customer_canceled cvc_incorrect debit_not_authorised expiry_month_invalid expiry_year_invalid
    fraudulent generic_declined insufficient_funds issuer_declined issuer_not_available pin_required pin_try_exceeded
    processing_error return_url_invalid transaction_is_blocked transaction_duplicated withdrawal_count_limit_exceeded`,
}

const COUNTS: Readonly<Record<string, number>> = { PaymentStatus: 13, AgreementStatus: 5, PaymentFailureCode: 34 }

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
  const cited = citationsOf(/payments-api\.md, ((?:(?:sections? )?\d+(?:\.\d+)?(?:, and |, | and | to )?)+)/gi)

  it('is cited', () => {
    expect(cited.size).toBeGreaterThan(20)
  })

  it.each([...cited])('has section %s, cited in %s', (number) => {
    expect(headings).toContain(number)
  })

  it.each(Object.entries(TABLES))('lists each value of %s', (name, text) => {
    const listed = new Set(codeIn(paymentsApi))
    const prefix = name === 'AgreementAmountRule' ? '_agreement_details_obj' : ''
    const values = text.split(/\s+/).map((value) => (prefix === '' ? value : `${value.toLowerCase()}${prefix}`))
    expect(values.filter((value) => !listed.has(value.replace('usage_based_', 'usage_bases_')))).toEqual([])
  })
})

describe('docs/gaps.md', () => {
  const entries = new Set(rowsOf(readFileSync(join(root, 'docs/gaps.md'), 'utf8')).map(([number = '']) => number))
  const cited = citationsOf(/gap sheet(?:'s)?, ((?:(?:sections? )?C?\d+(?:\.\d+)?(?:, and |, | and | to )?)+)/gi)

  it('is cited', () => {
    expect(cited.size).toBeGreaterThan(30)
  })

  it.each([...cited])('has an entry for %s, cited in %s', (number) => {
    const chapter = number.split('.')[0] ?? ''
    const isThere =
      entries.has(number) || entries.has(chapter) || [...entries].some((entry) => entry.startsWith(`${number}.`))
    expect(isThere).toBe(true)
  })
})

/** Returns every number that comments of the source cite in a form, with a file that cites it. */
function citationsOf(form: RegExp): Map<string, string> {
  const found = new Map<string, string>()
  for (const path of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )) {
    const text = readFileSync(join(root, 'src', path), 'utf8').replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ')
    for (const [, list = ''] of text.matchAll(form)) for (const number of numbersIn(list)) found.set(number, path)
  }
  return found
}

/** Returns the numbers in a list such as `sections 5.3, 10 and 16` or `sections 17 to 20`. */
function numbersIn(list: string): string[] {
  const spans = [...list.matchAll(/(?<![\d.])(\d+) to (\d+)/g)].flatMap(([, first, last]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => String(Number(first) + index)),
  )
  return [...(list.match(/C?\d+(?:\.\d+)?/g) ?? []), ...spans]
}
