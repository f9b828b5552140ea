import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'

type Page = {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[]
  readonly nodes: readonly { readonly id: string }[]
  readonly pageInfo: {
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
    readonly startCursor: string | null
    readonly endCursor: string | null
  }
}

type List = 'paymentLinks' | 'payments' | 'paymentEvents' | 'webhookDeliveries'

const LISTS: Readonly<Record<List, string>> = {
  paymentLinks: 'PaymentLinkFilter',
  payments: 'PaymentsFilter',
  paymentEvents: 'PaymentEventFilter',
  webhookDeliveries: 'PaymentWebhookDeliveryFilter',
}
const NAMES = Object.keys(LISTS) as List[]
const ROWS = 7

let network: Network
beforeAll(async () => {
  network = await startNetwork()
  for (let index = 0; index < ROWS; index++) await addRow(`order-${index}`)
})
afterAll(() => network.close())

/** Adds a link, a payment, events and a delivery. */
async function addRow(reference = 'order-late') {
  const link = await createLink(network, { reference })
  await network.sandbox.control.setStatus(link.id, 'pending')
  return link
}

async function ask(list: List, variables: Record<string, unknown>) {
  const query = `query Page($first: Int! = 100, $after: String, $filter: ${LISTS[list]}) {
    list: ${list}(first: $first, after: $after, filter: $filter) {
      edges { cursor node { id } } nodes { id }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }`
  return network.ask<{ list: Page }>(query, variables)
}

async function page(list: List, variables: Record<string, unknown> = {}): Promise<Page> {
  const answer = await ask(list, variables)
  if (answer.errors !== undefined) throw new Error(JSON.stringify(answer.errors))
  return answer.data.list
}

const idsOf = ({ nodes }: Page) => nodes.map(({ id }) => id)

describe.each(NAMES)('%s', (list) => {
  it('refuses a cursor that is forged, or of another list', async () => {
    const others = NAMES.filter((name) => name !== list)
    const foreign = await Promise.all(others.map(async (name) => (await page(name, { first: 1 })).pageInfo.endCursor))
    for (const after of ['', 'nonsense', 'A'.repeat(22), ...foreign]) {
      const answer = await ask(list, { after })
      expect(answer.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: 'after' } }])
    }
  })

  it('is paged without a hole and without a repeat while rows are added', async () => {
    const before = idsOf(await page(list))
    const paged: string[] = []
    let after: string | null = null
    let added = 0
    do {
      const current: Page = await page(list, { first: 2, after })
      expect(idsOf(current).length).toBeLessThanOrEqual(2)
      expect(current.edges.map(({ node }) => node.id)).toEqual(idsOf(current))
      expect(current.pageInfo.hasPreviousPage).toBe(after !== null)
      expect(current.pageInfo.startCursor).toBe(current.edges[0]?.cursor ?? null)
      paged.push(...idsOf(current))
      after = current.pageInfo.hasNextPage ? current.pageInfo.endCursor : null
      if (added < 3) await addRow()
      added += 1
    } while (after !== null)
    expect(new Set(paged).size).toBe(paged.length)
    // The log is read from its oldest end, so it continues with the added rows; the other lists begin with the newest row.
    expect(list === 'paymentEvents' ? paged.slice(0, before.length) : paged).toEqual(before)
  })
})

describe.each([
  ['payments', 'updatedFrom'],
  ['paymentLinks', 'createdFrom'],
] as const)('%s by an instant', (list, condition) => {
  const filter = { [condition]: '2000-01-01T00:00:00Z' }

  it('takes no cursor of the list in its other order, and the list none of its', async () => {
    const ordered = await page(list, { first: 1 })
    const dated = await page(list, { first: 1, filter })
    for (const variables of [
      { after: ordered.pageInfo.endCursor, filter },
      { after: dated.pageInfo.endCursor },
      { after: dated.pageInfo.endCursor, filter: { [condition]: null } },
    ])
      expect((await ask(list, variables)).errors).toMatchObject([
        {
          message: expect.stringContaining('another order') as unknown,
          extensions: { code: 'BAD_USER_INPUT', argument: 'after' },
        },
      ])
  })
})

describe('filters', () => {
  it('find links and payments by reference', async () => {
    const link = await addRow('order with spaces, "quotes" and %')
    await addRow('order with spaces')
    const filter = { reference: 'order with spaces, "quotes" and %' }
    expect(idsOf(await page('paymentLinks', { filter }))).toEqual([link.id])
    expect(idsOf(await page('payments', { filter }))).toHaveLength(1)
    expect(idsOf(await page('paymentLinks', { filter: { reference: '%' } }))).toEqual([])
    expect(idsOf(await page('payments', { filter: { reference: "' OR 1=1 --" } }))).toEqual([])
  })

  it('find payments of any amount by a range from nothing', async () => {
    const changed = { updatedFrom: new Date(0).toISOString(), amount: { currency: 'AUD', min: '0.00' } }
    await addRow()
    expect(idsOf(await page('payments', { filter: changed }))).not.toEqual([])
  })

  it('find 100 payments by their ids in one request, with how many there are', async () => {
    const known = idsOf(await page('payments'))
    const ids = [...known, ...Array.from({ length: 100 - known.length }, (_, n) => `none-${n}`)]
    expect(idsOf(await page('payments', { filter: { ids } }))).toEqual(known)
    const query = `query Rows($filter: PaymentsFilter) {
      payments(first: 100, filter: $filter, orderBy: CREATED) { totalCount nodes { id reference status amount { value currency } method { name } } }
    }`
    const { payments } = (await network.ask<{ payments: Page & { totalCount: number } }>(query, { filter: { ids } }))
      .data
    expect(payments.totalCount).toBe(known.length)
    expect(idsOf(payments)).toEqual(known)
  })

  it.each([
    [{ ids: Array.from({ length: 101 }, (_, n) => `id-${n}`) }, 'ids', 'at most 100'],
    [
      { createdFrom: '2026-01-02T00:00:00Z', createdBefore: '2026-01-01T00:00:00Z' },
      'createdBefore',
      'after createdFrom',
    ],
    [
      { updatedFrom: '2026-01-01T00:00:00Z', updatedBefore: '2026-01-01T00:00:00Z' },
      'updatedBefore',
      'after updatedFrom',
    ],
    [{ amount: { currency: 'JPY', min: '1.5' } }, 'amount.min', 'JPY has no decimals'],
    [{ amount: { currency: 'AUD', max: '-1' } }, 'amount.max', 'plain decimal'],
    [{ amount: { currency: 'AUD', min: '2', max: '1' } }, 'amount.max', 'not be below min'],
    [{ currency: 'JPY', amount: { currency: 'AUD', min: '2' } }, 'amount.currency', 'currency of the filter'],
    [{ cardLast4: '424' }, 'cardLast4', 'four digits'],
    [{ reference: ' ' }, 'reference', 'blank'],
    [{ ownerId: 'x'.repeat(256) }, 'ownerId', '255'],
  ])('that contradict themselves or are too long are refused: %j', async (filter, field, message) => {
    expect((await ask('payments', { filter })).errors).toMatchObject([
      {
        message: expect.stringContaining(message) as unknown,
        extensions: { code: 'BAD_USER_INPUT', argument: `filter.${field}` },
      },
    ])
  })

  it('find a text however its accents are written', async () => {
    await addRow('commande-é')
    for (const reference of ['commande-é'.normalize('NFC'), ' commande-é '.normalize('NFD')])
      expect(idsOf(await page('payments', { filter: { reference } }))).toHaveLength(1)
  })

  it('find the newest events, oldest first', async () => {
    const newest = async (args: string) => {
      const query = `{ list: paymentEvents(${args}) { nodes { id } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`
      return network.ask<{ list: Page }>(query)
    }
    const link = await addRow()
    const all = idsOf(await page('paymentEvents'))
    const { list } = (await newest('last: 3')).data
    expect(idsOf(list)).toEqual(all.slice(-3))
    expect(list.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
    expect(idsOf(await page('paymentEvents', { after: list.pageInfo.startCursor }))).toEqual(all.slice(-2))
    const ofLink = (await newest(`last: 3, filter: { linkIds: ["${link.id}"] }`)).data.list
    expect(idsOf(ofLink)).toEqual(all.slice(-2))
    expect(ofLink.pageInfo.hasPreviousPage).toBe(false)
    const earlier = (await newest(`last: 2, before: "${list.pageInfo.startCursor}"`)).data.list
    expect(idsOf(earlier)).toEqual(all.slice(-5, -3))
    expect(earlier.pageInfo.hasNextPage).toBe(true)
    const unpaired = await newest(`before: "${list.pageInfo.startCursor}"`)
    expect(unpaired.errors?.[0]).toMatchObject({ message: expect.stringContaining('before') })
    for (const args of ['last: 0', 'last: 101', `last: 3, after: "${list.pageInfo.endCursor}"`])
      expect((await newest(args)).errors?.[0]).toMatchObject({
        extensions: { code: 'BAD_USER_INPUT' },
        message: expect.stringContaining('last'),
      })
  })
})
