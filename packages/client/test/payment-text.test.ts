import { describe, expect, it } from 'vitest'
import { PaymentsClientError } from '../src/client-errors.ts'
import { paymentText, type KnownPayment } from '../src/payment-text.ts'
import { TEXTS } from '../src/texts.ts'

type Link = NonNullable<KnownPayment['link']>
type Payment = NonNullable<KnownPayment['payment']>

const amount = { value: '295000', currency: 'VND', exponent: 0 }
const checkoutUrl = 'https://pay.example/1'
const link = { state: 'OPEN', checkoutUrl, expiresAt: '2026-11-28T10:00:00Z', requestedAmount: amount } as Link
const open = { link, payment: null }
const failure = { retry: 'OTHER_METHOD', customerMessage: 'Use another card.' }
const toCheckout = { kind: 'OPEN_CHECKOUT', url: checkoutUrl }
const paying = (over: object): KnownPayment => ({ link, payment: { phase: 'IN_PROGRESS', amount, ...over } as Payment })
const failed = paying({ phase: 'FAILED', failure, nextAction: toCheckout })

const languages = Object.entries(TEXTS)

describe('the texts for payers', () => {
  it('are in eleven languages', () => {
    expect(Object.keys(TEXTS)).toEqual(['en', 'ja', 'ko', 'zh', 'vi', 'th', 'id', 'ms', 'es', 'pt', 'fr'])
  })

  it.each(languages)('are whole in %s', (language, texts) => {
    expect(Object.keys(texts)).toEqual(Object.keys(TEXTS['en'] ?? {}))
    const inEnglish = Object.entries(texts).filter(([key, text]) => text === TEXTS['en']?.[key as keyof typeof texts])
    expect(inEnglish.length).toBe(language === 'en' ? Object.keys(texts).length : 0)
    for (const [key, text] of Object.entries(texts)) {
      const english = TEXTS['en']?.[key as keyof typeof texts] ?? ''
      expect(text.match(/\{\w+\}/g)).toEqual(english.match(/\{\w+\}/g))
      expect(text.trim()).toBe(text)
      expect(text.length).toBeLessThanOrEqual(english.length * 2 + 10)
    }
  })

  it.each(languages)('tell amounts and times as written in %s', (language) => {
    const { action, amount: shown, deadline, language: tag } = paymentText(open, language)
    expect(tag).toBe(language)
    expect(shown).toBe(new Intl.NumberFormat(language, { style: 'currency', currency: 'VND' }).format(295_000))
    expect(action?.label).toContain(shown)
    expect(deadline).toContain('28')
  })
})

describe('a payment as the payer reads it', () => {
  it.each<[string, KnownPayment, object]>([
    ['nothing yet', { link: null, payment: null }, { tone: 'waiting', headline: 'Loading …', action: null }],
    ['a link', open, { tone: 'waiting', headline: 'Waiting for your payment.', action: { url: checkoutUrl } }],
    ['an expired link', { link: { ...link, state: 'EXPIRED' }, payment: null }, { tone: 'failure', action: null }],
    ['a payment', paying({ nextAction: { kind: 'WAIT', url: null } }), { tone: 'waiting', action: null, deadline: '' }],
    [
      'one that is confirmed with the bank',
      paying({ nextAction: { ...toCheckout, kind: 'COMPLETE_3DS' } }),
      { action: { url: checkoutUrl } },
    ],
    ['one that is paid', paying({ phase: 'SUCCEEDED' }), { tone: 'success', headline: 'Payment received. Thank you.' }],
    ['one that is paid, but not confirmed', paying({ phase: 'SUCCEEDED', provisional: true }), { tone: 'waiting' }],
    ['one that failed', failed, { tone: 'failure', hint: 'Use another card.', action: { url: checkoutUrl } }],
    ['a page that is no page', paying({ nextAction: { ...toCheckout, url: 'javascript:alert(1)' } }), { action: null }],
    ['a lost connection', { ...open, connection: 'offline' }, { hint: 'Connection lost. Reconnecting …' }],
    [
      'an error that may pass',
      { ...open, error: new PaymentsClientError('NETWORK', 'any') },
      { tone: 'failure', action: { label: 'Try again', url: null } },
    ],
    [
      'a wrong token',
      { ...open, error: new PaymentsClientError('NOT_FOUND', 'any') },
      { headline: 'This payment link is not valid. Please ask for a new one.', action: null },
    ],
  ])('%s', (_what, known, expected) => expect(paymentText(known)).toMatchObject(expected))

  it('gives the cause of a failure only in a language that the graph has', () => {
    expect(paymentText(failed, 'ja-JP').hint).toBe('Use another card.')
    expect(paymentText(failed, 'ko').hint).toBe('다시 시도하거나 다른 결제 수단을 이용해 주세요.')
  })

  it('is in English where there is no text, and in simplified Chinese for all of Chinese', () => {
    expect(paymentText(open, 'de-AT')).toMatchObject({ language: 'en', headline: 'Waiting for your payment.' })
    expect(paymentText(open, 'zh-CN')).toMatchObject({ language: 'zh-CN', headline: '等待付款。' })
  })
})
