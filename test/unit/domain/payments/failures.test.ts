import { describe, expect, test } from 'vitest'
import { customerMessage, describeFailure } from '../../../../src/domain/payments/failures/describe-failure.ts'
import { recogniseFailure } from '../../../../src/domain/payments/failures/failure-codes.ts'
import { en, LANGUAGES } from '../../../../src/domain/payments/failures/failure-messages.ts'

/** The table of the payments API: code, then the category and the advice for its condition. */
const DOCUMENTED = `
account_closed                    CUSTOMER_ACTION  OTHER_METHOD
amount_invalid                    AMOUNT           LOWER_AMOUNT
amount_too_large                  AMOUNT           LOWER_AMOUNT
amount_too_small                  AMOUNT           HIGHER_AMOUNT
authentication_expired            AUTHENTICATION   SAME_METHOD
authentication_failed             AUTHENTICATION   OTHER_METHOD
authentication_required           AUTHENTICATION   SAME_METHOD
capture_not_authorised            MERCHANT_SETUP   DO_NOT_RETRY
card_decline_rate_limit_exceeded  ISSUER           LATER
card_expired                      CARD_DETAILS     OTHER_METHOD
card_lost                         RISK             OTHER_METHOD
card_not_supported                ISSUER           OTHER_METHOD
card_number_incorrect             CARD_DETAILS     SAME_METHOD
card_restricted                   ISSUER           OTHER_METHOD
card_stolen                       RISK             DO_NOT_RETRY
card_velocity_exceeded            FUNDS            OTHER_METHOD
currency_not_supported            ISSUER           OTHER_METHOD
customer_canceled                 CUSTOMER_ACTION  SAME_METHOD
cvc_incorrect                     CARD_DETAILS     SAME_METHOD
debit_not_authorised              CUSTOMER_ACTION  DO_NOT_RETRY
expiry_month_invalid              CARD_DETAILS     SAME_METHOD
expiry_year_invalid               CARD_DETAILS     SAME_METHOD
fraudulent                        RISK             DO_NOT_RETRY
generic_declined                  UNKNOWN          OTHER_METHOD
insufficient_funds                FUNDS            OTHER_METHOD
issuer_declined                   ISSUER           OTHER_METHOD
issuer_not_available              ISSUER           LATER
pin_required                      AUTHENTICATION   OTHER_METHOD
pin_try_exceeded                  AUTHENTICATION   OTHER_METHOD
processing_error                  TECHNICAL        LATER
return_url_invalid                MERCHANT_SETUP   DO_NOT_RETRY
transaction_is_blocked            UNKNOWN          DO_NOT_RETRY
transaction_duplicated            CUSTOMER_ACTION  DO_NOT_RETRY
withdrawal_count_limit_exceeded   FUNDS            OTHER_METHOD
`
const rows = DOCUMENTED.trim()
  .split('\n')
  .map((line) => line.split(/\s+/))
const FAILED_AT = '2026-03-01T10:00:00.000Z'
const MASKED = ['card_lost', 'card_stolen', 'fraudulent']

const describeAs = (codeRaw: string, maySeeRisk: boolean) =>
  describeFailure({ codeRaw, failedAt: FAILED_AT, maySeeRisk })

test('the payments API documents 34 codes, and all are here', () => {
  expect(rows).toHaveLength(34)
})

test.each(rows)('%s is %s, advice %s', (raw = '', category = '', retry = '') => {
  expect(describeAs(raw, true)).toMatchObject({ code: raw.toUpperCase(), category, retry })
})

describe('what must not be given away', () => {
  test.each(MASKED)('%s reads like a generic decline in every respect', (raw) => {
    const { customerMessage: sentence, ...masked } = describeAs(raw, false)
    const { customerMessage: genericSentence, ...generic } = describeAs('generic_declined', false)
    expect(masked).toStrictEqual(generic)
    for (const locale of LANGUAGES.keys()) expect(sentence(locale)).toBe(genericSentence(locale))
  })

  test('the category RISK is told to nobody who may not see it', () => {
    expect(rows.map(([raw = '']) => describeAs(raw, false).category)).not.toContain('RISK')
  })

  test('a blocked transaction keeps its name, since money that was paid comes back', () => {
    const { code, customerMessage: sentence } = describeAs('transaction_is_blocked', false)
    expect(code).toBe('TRANSACTION_IS_BLOCKED')
    expect(sentence('en')).toContain('returned')
  })

  test('even a caller who may see risk gets a sentence for the payer without it', () => {
    for (const raw of MASKED)
      for (const locale of LANGUAGES.keys())
        expect(describeAs(raw, true).customerMessage(locale)).toBe(customerMessage('GENERIC_DECLINED', locale))
  })
})

describe('when to try again', () => {
  test.each([
    ['card_decline_rate_limit_exceeded', '2026-03-02T10:00:00.000Z'],
    ['processing_error', '2026-03-01T10:01:00.000Z'],
    ['issuer_not_available', '2026-03-01T10:01:00.000Z'],
    ['cvc_incorrect', null],
  ])('after %s not before %s', (raw, instant) => {
    expect(describeAs(raw, false).retryNotBefore).toBe(instant)
  })

  test('a failure at an instant that cannot be read has no bound', () => {
    const description = describeFailure({ codeRaw: 'processing_error', failedAt: 'yesterday', maySeeRisk: false })
    expect(description.retryNotBefore).toBeNull()
  })
})

test.each(['', 'card_eaten_by_dog', 'CARD_STOLEN', 'constructor', '__proto__'])(
  'a code that is not known, such as "%s", is unrecognised',
  (raw) => {
    const expected = { code: 'UNRECOGNISED', category: 'UNKNOWN', retry: 'OTHER_METHOD', retryNotBefore: null }
    expect(describeAs(raw, false)).toMatchObject(expected)
    expect(recogniseFailure(raw).code).toBe('UNRECOGNISED')
  },
)

describe('sentences for the payer', () => {
  const codes = [...rows.map(([raw = '']) => recogniseFailure(raw).code), 'UNRECOGNISED' as const]

  test.each(codes)('%s has a polite sentence in every language, each its own', (code) => {
    const sentences = [...LANGUAGES.keys()].map((locale) => customerMessage(code, locale))
    expect(new Set(sentences).size).toBe(LANGUAGES.size)
    expect(sentences[0]).toMatch(/[A-Za-z].*\.$/)
    expect(sentences[1]).toMatch(/[\p{Script=Hiragana}\p{Script=Han}].*。$/u)
    for (const sentence of sentences) expect(sentence.length).toBeLessThan(130)
  })

  test('no sentence hints at suspicion or shows a code', () => {
    const all = [...LANGUAGES.values()].flatMap((texts) => Object.values(texts.failures))
    expect(all.filter((sentence) => /fraud|stolen|lost|suspect|risk|盗難|紛失|不正|_/i.test(sentence))).toStrictEqual(
      [],
    )
  })

  test.each([
    ['ja', 'ja'],
    ['ja-JP', 'ja'],
    ['JA-Jpan-JP', 'ja'],
    ['ja_JP', 'ja'],
    ['en-AU', 'en'],
    ['jam', 'en'],
    ['fr-CA', 'en'],
    ['', 'en'],
    [null, 'en'],
  ])('locale %s reads %s', (locale, language) => {
    expect(customerMessage('CARD_EXPIRED', locale)).toBe(LANGUAGES.get(language)?.failures.CARD_EXPIRED)
    expect(LANGUAGES.get('en')).toBe(en)
  })
})
