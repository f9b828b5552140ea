import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { tryCreateLink } from '../support/operations.ts'
import { BY_HAND } from '../support/payins.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND })))
afterEach(() => network.sandbox.control.clearFaults())
afterAll(() => network.close())

describe('balances', () => {
  const BALANCES = `query Balances($currencies: [CurrencyCode!]) {
    accountBalances(currencies: $currencies) { nodes {
      currency available { value currency } incoming { value } outgoing { value } rollingReserve { value } withdrawable { value }
    } }
  }`
  const balancesOf = async (variables?: object) => {
    const { data } = await network.ask<{ accountBalances: { nodes: { currency: string }[] } }>(BALANCES, {
      ...variables,
    })
    return data.accountBalances.nodes
  }

  it('are told by currency, and move with what comes in', async () => {
    const both = await balancesOf({ currencies: ['NZD', 'KRW'] })
    const opening = (currency: string, decimals: string) => {
      const nothing = { value: `0${decimals}` }
      const all = { value: `100000000${decimals}` }
      return {
        currency,
        available: all,
        withdrawable: all,
        incoming: nothing,
        outgoing: nothing,
        rollingReserve: nothing,
      }
    }
    expect(both).toMatchObject([opening('NZD', '.00'), opening('KRW', '')])
    const amount = { value: '250', currency: 'NZD' }
    await mutate(network, 'simulateDeposit', { accountNumber: '12345', amount })
    expect(await balancesOf({ currencies: ['NZD'] })).toMatchObject([
      { available: { value: '100000250.00' }, incoming: { value: '250.00' } },
    ])
  })

  it('are those of every currency when none is named, and none without credentials', async () => {
    const served = network.sandbox.sites.flatMap(({ currencies }) => currencies)
    expect((await balancesOf()).map(({ currency }) => currency).toSorted()).toEqual(served.toSorted())
    expect(await balancesOf({ currencies: ['TZS'] })).toEqual([])
  })

  it('are told with the currencies that have no answer', async () => {
    network.sandbox.control.addFault({ path: '/v2/balances/detail', answer: { status: 503 }, times: 3 })
    const query = '{ accountBalances(currencies: ["NZD"]) { nodes { currency } failures { currency code } } }'
    const failures = [{ currency: 'NZD', code: 'UPSTREAM_UNAVAILABLE' }]
    expect((await network.ask(query)).data['accountBalances']).toEqual({ nodes: [], failures })
    network.sandbox.control.clearFaults()
    expect((await network.ask(query)).data['accountBalances']).toEqual({ nodes: [{ currency: 'NZD' }], failures: [] })
  })
})

describe('the accounts of two sites with one currency', () => {
  it('are two balances', async () => {
    const sites = ['first', 'second'].map((id) => ({
      id,
      appId: `app-${id}`,
      secretKey: `secret-${id}`,
      currencies: ['AUD'],
    }))
    const own = await startNetwork({ sandbox: { sites } })
    onTestFinished(() => own.close())
    const query = `{ accountBalances { nodes { site currency available { value } } failures { site currency code message } } }`
    await mutate(own, 'simulateDeposit', {
      accountNumber: '12345',
      amount: { value: '5', currency: 'AUD' },
      site: 'second',
    })
    const account = (site: string, value: string) => ({ site, currency: 'AUD', available: { value } })
    expect((await own.ask(query)).data).toEqual({
      accountBalances: {
        nodes: [account('first', '100000000.00'), account('second', '100000005.00')],
        failures: [],
      },
    })
    own.sandbox.control.addFault({ path: '/v2/balances/detail', answer: { status: 404 }, times: 1 })
    const { data } = await own.ask<{ accountBalances: { nodes: unknown[] } & Record<string, unknown> }>(query)
    expect(data.accountBalances).toMatchObject({
      failures: [{ currency: 'AUD', code: 'UPSTREAM_NOT_FOUND', message: expect.stringContaining('404') }],
    })
    expect(data.accountBalances.nodes).toHaveLength(1)
  })
})

describe('balanceHistory', () => {
  const HISTORY = `query History($from: LocalDate!, $to: LocalDate!, $first: Int! = 20, $after: String, $site: ID) {
    balanceHistory(from: $from, to: $to, first: $first, after: $after, site: $site) {
      totalCount pageInfo { hasNextPage endCursor }
      nodes { id direction directionRaw kindRaw methodRaw statusRaw referenceId createdAt
        amount { value currency } outgoing { value } total { value } fees { value } }
    }
  }`
  const today = new Date().toISOString().slice(0, 10)
  const span = { from: today, to: today }

  it('has what moved the balance, newest first, page by page', async () => {
    const own = await startNetwork()
    onTestFinished(() => own.close())
    for (let value = 1; value <= 21; value += 1)
      await mutate(own, 'simulateDeposit', {
        accountNumber: '12345',
        amount: { value: String(value), currency: 'AUD' },
      })
    const { link } = await tryCreateLink(own, { amount: { value: '12.5', currency: 'AUD' } })
    await own.sandbox.control.setStatus(link?.id ?? '', 'received')
    type PageInfo = { hasNextPage: boolean; endCursor: string }
    type History = { balanceHistory: { nodes: { id: string }[]; pageInfo: PageInfo; totalCount: number } }
    const page = async (variables: object) =>
      (await own.ask<History>(HISTORY, { ...span, ...variables })).data.balanceHistory
    const first = await page({ first: 15 })
    expect(first).toMatchObject({ totalCount: 22, pageInfo: { hasNextPage: true } })
    expect(first.nodes[0]).toMatchObject({
      direction: 'MONEY_IN',
      directionRaw: 'money_in',
      kindRaw: 'payment',
      statusRaw: 'done',
      amount: { value: '12.50', currency: 'AUD' },
      total: { value: '12.50' },
      outgoing: { value: '0.00' },
      fees: { value: '0.00' },
    })
    // The payments API has 20 on a page: the second page is the rest of its first one.
    const second = await page({ first: 15, after: first.pageInfo.endCursor })
    const third = await page({ after: second.pageInfo.endCursor })
    expect([first, second, third].map(({ nodes }) => nodes.length)).toEqual([15, 5, 2])
    expect(third.pageInfo.hasNextPage).toBe(false)
    expect(new Set([first, second, third].flatMap(({ nodes }) => nodes.map(({ id }) => id))).size).toBe(22)
  })

  it.each([
    [{ from: today, to: '2020-01-01' }, 'to'],
    [{ ...span, after: 'x' }, 'after'],
    [{ ...span, site: 'jpy' }, 'site'],
    [{ ...span, site: 'unknown' }, 'site'],
  ])('refuses %j', async (variables, argument) => {
    expect((await network.ask(HISTORY, variables)).errors).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT', argument } },
    ])
  })

  it.each([
    [{ status: 404 }, 'UPSTREAM_NOT_FOUND'],
    [{ status: 200, body: { records: 'none' } }, 'UPSTREAM_UNAVAILABLE'],
  ])('tells a failure by its code: %j', async (answer, code) => {
    network.sandbox.control.addFault({ path: '/v1/balances/history', answer, times: 3 })
    const { data, errors } = await network.ask(HISTORY, span)
    network.sandbox.control.clearFaults()
    expect(data['balanceHistory']).toBeNull()
    expect(errors).toMatchObject([{ extensions: { code } }])
  })
})
