import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { composeServices } from '@theguild/federation-composition'
import { parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { V1_SITES } from '../support/payouts.ts'

const ROOT = join(import.meta.dirname, '../..')
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Returns the code blocks of a page in a language, without those that name a file. */
const blocksOf = (page: string, language: string) =>
  Array.from(text(page).matchAll(/^```(\w+)\n(.*?)^```$/gms), ([, of, code = '']) => ({ of, code }))
    .filter(({ of }) => of === language)
    .map(({ code }) => code)

/** The pages that show an operation, with its variables and what it answers. */
const OPERATIONS: Readonly<Record<string, readonly [variables: () => Record<string, unknown>, data: object]>> = {
  'docs/guides/export.md': [() => ({}), { createPaymentsExport: { payersMasked: false } }],
  'docs/guides/identity-checks.md': [() => ({ code: 'au_card_aud' }), { payinMethod: { code: 'au_card_aud' } }],
  'docs/guides/payout-files.md': [
    () => ({ file: blocksOf('docs/guides/payout-files.md', 'csv')[0] }),
    { createPayoutFromFile: { replayed: false, payout: { totalAmount: { value: '1550.50' } } } },
  ],
}
const STREAM = 'docs/guides/duplicate-payments.md'
const TYPES = 'docs/federation.md'

describe('what the pages show of the graph', () => {
  let network: Network
  beforeAll(async () => void (network = await startNetwork({ env: V1_SITES })))
  afterAll(() => network.close())

  test('is on pages that are tested here', () => {
    const pages = globSync('docs/**/*.md', { cwd: ROOT }).filter((page) => blocksOf(page, 'graphql').length > 0)
    expect(pages.toSorted()).toEqual([...Object.keys(OPERATIONS), STREAM, TYPES].toSorted())
    expect(pages.filter((page) => blocksOf(page, 'graphql').length > 1)).toEqual([])
  })

  test.each(Object.entries(OPERATIONS))('is answered: %s', async (page, [variables, expected]) => {
    const [query = ''] = blocksOf(page, 'graphql')
    const { data, errors } = await network.ask(query, variables())
    expect(errors).toBeUndefined()
    expect(data).toMatchObject(expected)
  })

  test(`is followed: ${STREAM}`, async () => {
    const stream = await network.follow(blocksOf(STREAM, 'graphql')[0] ?? '')
    expect(await stream.next()).toMatchObject({ kind: 'CAUGHT_UP' })
    await stream.end()
  })

  test(`composes with the subgraph: ${TYPES}`, () => {
    const link =
      'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@external", "@requires"])'
    const orders = `${link} type Query { order: Order } ${blocksOf(TYPES, 'graphql')[0]}`
    const { errors } = composeServices([
      { name: 'payments', url: 'http://payments.test', typeDefs: parse(text('schema.graphql')) },
      { name: 'orders', url: 'http://orders.test', typeDefs: parse(orders) },
    ])
    expect(errors).toBeUndefined()
  })
})
