import { describe, expect, it } from 'vitest'
import { currencies, exponentOf, roundsSubmittedAmount } from '../../../../src/domain/money/money.ts'

/** `code exponent region versions`, from the table of the payments API. */
const TABLE = `
AUD 2 ASIA_PACIFIC V1,V2,V3
IDR 2 ASIA_PACIFIC V2,V3
INR 2 ASIA_PACIFIC V2,V3
JPY 0 ASIA_PACIFIC V2,V3
KHR 2 ASIA_PACIFIC V2,V3
KRW 0 ASIA_PACIFIC V2,V3
MYR 2 ASIA_PACIFIC V2,V3
PHP 2 ASIA_PACIFIC V2,V3
THB 2 ASIA_PACIFIC V2,V3
VND 0 ASIA_PACIFIC V2,V3
NZD 2 ASIA_PACIFIC V3
HKD 2 ASIA_PACIFIC V3
BWP 2 AFRICA V2,V3
GHS 2 AFRICA V2,V3
KES 2 AFRICA V2,V3
MWK 2 AFRICA V2,V3
NGN 2 AFRICA V2,V3
TZS 2 AFRICA V2,V3
XAF 0 AFRICA V2,V3
XOF 0 AFRICA V2,V3
ZAR 2 AFRICA V2,V3
ARS 2 AMERICAS V2,V3
BRL 2 AMERICAS V2,V3
CAD 2 AMERICAS V2,V3
USD 2 AMERICAS V2,V3
USDC 6 OTHER V2,V3`

describe('currencies', () => {
  it('are those of the payments API, in its order', () => {
    const shown = currencies.map(
      ({ code, exponent, region, versions }) => `${code} ${exponent} ${region} ${versions.join()}`,
    )
    expect(shown).toEqual(TABLE.trim().split('\n'))
  })

  it('are rounded by the payments API exactly where they have no decimals', () => {
    const rounded = currencies.filter(({ code }) => roundsSubmittedAmount(code)).map(({ code }) => code)
    expect(rounded.toSorted()).toEqual(['JPY', 'KRW', 'VND', 'XAF', 'XOF'])
    expect(currencies.filter(({ exponent }) => exponent === 0).map(({ code }) => code)).toEqual(rounded)
  })

  it('that are new have two decimals', () => {
    expect([exponentOf('SGD'), exponentOf('constructor'), roundsSubmittedAmount('SGD')]).toEqual([2, 2, false])
  })
})
