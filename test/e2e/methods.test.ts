import { DEFAULT_SITES } from 'payments-subgraph-sandbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'

type Method = {
  readonly code: string
  readonly usableFor: readonly string[]
  readonly currency: string
  readonly kind: string
  readonly accepts?: boolean | null
}
type MethodList = {
  readonly nodes: readonly Method[]
  readonly fetchedAt: string
  readonly stale: boolean
  readonly unavailable: readonly string[]
  readonly missing: readonly { readonly currency: string; readonly use: string }[]
}

const METHODS = `query Methods($currencies: [CurrencyCode!], $amount: PaymentAmountInput, $kinds: [PaymentMethodKind!], $usableFor: [PayinMethodUse!]) {
  payinMethods(currencies: $currencies, amount: $amount, kinds: $kinds, usableFor: $usableFor) {
    nodes { code usableFor name currency countryCode kind kindRaw provider minAmount { value } maxAmount { value exponent } cardBrands
      checkoutLanguages networks symbol logo traits { refundable promptsHandset } }
    fetchedAt stale unavailable missing { currency use }
  }
}`

async function methods(on: Network, variables: Record<string, unknown> = {}): Promise<MethodList> {
  const answer = await on.ask<{ payinMethods: MethodList }>(METHODS, variables, { token: null })
  if (answer.errors !== undefined) throw new Error(JSON.stringify(answer.errors))
  return answer.data.payinMethods
}

describe('payinMethods', () => {
  let network: Network
  beforeAll(async () => void (network = await startNetwork()))
  afterAll(() => network.close())

  const codesOf = ({ nodes }: MethodList) => nodes.map(({ code }) => code)
  const codes = async (variables: Record<string, unknown>) => codesOf(await methods(network, variables))

  it('lists what each method asks for, of one currency and of all', async () => {
    const query =
      'query Fields($of: [CurrencyCode!]) { payinMethods(currencies: $of) { nodes { code requiredFields { name type required label } } } }'
    const fieldsOf = async (of: string[] | null) => {
      const { data, errors } = await network.ask<{
        payinMethods: { nodes: { code: string; requiredFields: unknown[] | null }[] }
      }>(query, { of }, { token: null })
      expect(errors).toBeUndefined()
      return data.payinMethods.nodes
    }
    const aud = await fieldsOf(['AUD'])
    expect(aud.find(({ code }) => code === 'au_alias_npp_aud')?.requiredFields).toContainEqual(
      expect.objectContaining({ name: 'callback_url', required: true }),
    )
    expect((await fieldsOf(null)).length).toBeGreaterThan(aud.length)
  })

  it('tells of a method what the payments API says in its record', async () => {
    const query = `{ payinMethods(currencies: ["AUD", "KES"]) { nodes { code
      traits { refundable cancellable requiresContact requiresKyc promptsHandset confirmsOnPage timesOut openAmount } } } }`
    const { data } = await network.ask<{ payinMethods: { nodes: { code: string; traits: unknown }[] } }>(query)
    const traits = new Map(data.payinMethods.nodes.map((node) => [node.code, node.traits]))
    const said = { cancellable: true, requiresContact: false, requiresKyc: false }
    expect(traits.get('au_alias_npp_aud')).toEqual({
      ...said,
      refundable: true,
      promptsHandset: false,
      confirmsOnPage: null,
      timesOut: null,
      openAmount: false,
    })
    expect(traits.get('ke_mobile_money_kes')).toEqual({
      ...said,
      cancellable: false,
      refundable: false,
      promptsHandset: true,
      confirmsOnPage: true,
      timesOut: true,
      openAmount: false,
    })
  })

  it('lists what every site offers, as the payments API gives it', async () => {
    const list = await methods(network)
    expect(list).toMatchObject({ stale: false, unavailable: [] })
    expect(Math.abs(Date.now() - Date.parse(list.fetchedAt))).toBeLessThan(60_000)
    expect(new Set(list.nodes.map(({ currency }) => currency)).size).toBe(DEFAULT_SITES.length)
    expect(list.nodes.find(({ code }) => code === 'jp_card_jpy')).toEqual({
      code: 'jp_card_jpy',
      name: 'Card',
      currency: 'JPY',
      countryCode: 'JP',
      kind: 'CARD',
      kindRaw: 'card',
      provider: null,
      minAmount: { value: '100' },
      maxAmount: { value: '1000000', exponent: 0 },
      cardBrands: ['visa', 'mastercard'],
      checkoutLanguages: ['ja', 'en'],
      usableFor: ['LINK', 'DIRECT'],
      networks: null,
      symbol: '¥',
      logo: `${new URL(network.sandbox.url).origin}/checkout/card.svg`,
      traits: { refundable: true, promptsHandset: false },
    })
    expect(list.nodes.find(({ code }) => code === 'ph_ewallet_gcash_php')).toMatchObject({ provider: 'gcash' })
    expect(list.nodes.find(({ code }) => code === 'ke_mobile_money_kes')).toMatchObject({
      kind: 'MOBILE_MONEY',
      traits: { refundable: false, promptsHandset: true },
    })
  })

  it('have those for direct payins alone, with what their own record says', async () => {
    const { nodes } = await methods(network, { currencies: ['USDC', 'ARS'] })
    expect(nodes.map(({ code, usableFor }) => [code, usableFor])).toEqual([
      ['ar_bank_ars', ['DIRECT']],
      ['usdc_bank', ['DIRECT']],
    ])
    expect(nodes[1]).toMatchObject({
      name: 'USDC transfer',
      currency: 'USDC',
      symbol: 'USDC',
      minAmount: { value: '10.000000' },
      maxAmount: { value: '100000.000000' },
      traits: { refundable: true },
    })
    expect(await codes({ amount: { value: '9.999999', currency: 'USDC' } })).toEqual([])
    expect(await codes({ amount: { value: '10', currency: 'USDC' } })).toEqual(['usdc_bank'])
    const { data } = await network.ask(
      '{ payinMethod(code: "usdc_bank") { traits { openAmount } accepts(amount: { value: "1", currency: "USDC" }) } }',
      {},
      { token: null },
    )
    expect(data).toEqual({ payinMethod: { traits: { openAmount: true }, accepts: false } })
  })

  it('tell which links and direct payins take', async () => {
    const list = await methods(network)
    const by = (...uses: string[]) =>
      list.nodes.filter(({ usableFor }) => usableFor.join() === uses.join()).map(({ code }) => code)
    expect(by('LINK')).toEqual(['nz_card_nzd', 'hk_card_hkd'])
    expect(by('DIRECT')).toEqual(['ar_bank_ars', 'usdc_bank'])
    expect(by('LINK', 'DIRECT')).toHaveLength(list.nodes.length - 4)
    expect(await codes({ usableFor: ['LINK'] })).toEqual(codesOf(list).filter((code) => !by('DIRECT').includes(code)))
    expect(await codes({ usableFor: ['DIRECT'], currencies: ['NZD', 'USDC'] })).toEqual(['usdc_bank'])
    expect(await codes({ usableFor: [] })).toEqual([])
  })

  it('have a logo that a page can load', async () => {
    const { nodes } = await methods(network, { currencies: ['JPY'] })
    const logos = nodes.map((node) => (node as { logo?: string | null }).logo)
    const response = await fetch(logos.find((logo) => logo != null) ?? '')
    expect(response.headers.get('content-type')).toContain('image/svg+xml')
    expect(await response.text()).toMatch(/^<svg /)
  })

  it('are filtered by currency, amount and kind', async () => {
    expect(await codes({ currencies: ['AUD'] })).toEqual(['au_card_aud', 'au_alias_npp_aud'])
    expect(await codes({ currencies: ['AUD', 'NZD'], kinds: ['CARD'] })).toEqual(['au_card_aud', 'nz_card_nzd'])
    expect(await codes({ amount: { value: '30000', currency: 'AUD' } })).toEqual(['au_alias_npp_aud'])
    expect(await codes({ amount: { value: '0.5', currency: 'AUD' } })).toEqual([])
    expect(await codes({ amount: { value: '100', currency: 'AUD' }, kinds: ['ALIAS'] })).toEqual(['au_alias_npp_aud'])
    expect(await codes({ kinds: ['PIX', 'INTERAC', 'UPI'] })).toEqual(['in_upi_inr', 'ca_interac_cad', 'br_pix_brl'])
    expect(await codes({ currencies: ['NZD'], amount: { value: '100', currency: 'AUD' } })).toEqual([])
    expect(await codes({ currencies: [] })).toEqual([])
    expect(await codes({ kinds: [] })).toEqual([])
    expect(await codes({ currencies: ['XYZ'] })).toEqual([])
  })

  it.each(['0', '-1', '1.005', '1e3', ''])('asked for with the amount %j are refused', async (value) => {
    const answer = await network.ask(METHODS, { amount: { value, currency: 'AUD' } })
    expect(answer.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: 'amount' } }])
    expect(answer.data['payinMethods']).toBeNull()
  })
})

describe('a site whose credentials fail', () => {
  it('is missing from the list, which names its currency', async () => {
    const sites = DEFAULT_SITES.slice(0, 3)
    const spoilt = sites.map((site, index) => (index === 1 ? { ...site, secretKey: 'wrong-secret-of-a-site' } : site))
    const network = await startNetwork({ sandbox: { sites }, env: { UPSTREAM_SITES: JSON.stringify(spoilt) } })
    try {
      const [one, failing, other] = sites.map(({ currencies }) => currencies[0])
      const list = await methods(network)
      expect(list).toMatchObject({ stale: false, unavailable: [failing] })
      expect(new Set(list.nodes.map(({ currency }) => currency))).toEqual(new Set([one, other]))
      expect(await methods(network, { currencies: [failing] })).toMatchObject({ nodes: [], unavailable: [failing] })
      expect(await methods(network, { currencies: [one] })).toMatchObject({ unavailable: [] })
    } finally {
      await network.close()
    }
  })
})

describe('paymentCurrencies', () => {
  it('are those that the payments API knows, with what is enabled here', async () => {
    const sites = DEFAULT_SITES.filter(({ currencies }) => ['AUD', 'JPY'].includes(currencies[0] ?? ''))
    const network = await startNetwork({ sandbox: { sites } })
    try {
      const { data } = await network.ask<{ paymentCurrencies: (Record<string, unknown> & { code: string })[] }>(
        '{ paymentCurrencies { code exponent roundsSubmittedAmount region versions enabled } }',
        {},
        { token: null },
      )
      const of = (wanted: string) => data.paymentCurrencies.find(({ code }) => code === wanted)
      expect(of('USDC')).toMatchObject({ exponent: 6 })
      expect(of('AUD')).toMatchObject({ exponent: 2, versions: ['V1', 'V2', 'V3'], enabled: true })
      expect(of('NZD')).toMatchObject({ versions: ['V3'], enabled: false })
      const enabled = data.paymentCurrencies.filter((currency) => currency['enabled'] === true)
      expect(enabled.map(({ code }) => code)).toEqual(['AUD', 'JPY'])
    } finally {
      await network.close()
    }
  })
})
