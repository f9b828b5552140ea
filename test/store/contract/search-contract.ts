import { expect, it } from 'vitest'
import { SEARCH_FIELDS, type SearchField } from '../../../src/store/port.ts'
import { after, delivery, NOW, report, settledLink } from './builders.ts'
import type { Fixture } from './store-contract.ts'

/** Tests how payments and links are searched by the beginning of a text. */
export function searchContract({ store }: Fixture): void {
  const pay = (paymentId: string, name: string, ref: string | null = null) =>
    store.inbox.receive(
      delivery(report('received', { paymentId, payer: { name, email: `${paymentId}@Mail.example` } }), {
        ref,
        bytes: paymentId,
      }),
    )
  const search = (text: string, fields: readonly SearchField[] = SEARCH_FIELDS, limit = 20) =>
    store.payments.search({ text, fields, limit })
  const found = async (...asked: Parameters<typeof search>) =>
    (await search(...asked)).matches.map(({ payment, link }) => payment?.id ?? link?.id)

  it('find what begins with a text, whatever its case, and say what of it does', async () => {
    await settledLink(store, '1', { reference: 'Order-7' })
    await settledLink(store, '2', { reference: 'order-70' })
    await pay('PAY-1', 'Ada Lovelace', '1')
    await pay('PAY-2', 'Zoë Lovelace-Byron')

    for (const text of ['order-7', 'ORDER-7', 'Order-7']) expect(await found(text)).toEqual(['PAY-1', 'LINK-2'])
    expect(await found('order-70')).toEqual(['LINK-2'])
    for (const text of ['PAY-1', 'link-1', 'LINK-1', 'ada', 'ADA LOVE', 'pay-1@mail.EXAMPLE'])
      expect({ text, found: await found(text) }).toEqual({ text, found: ['PAY-1'] })
    expect(await found('love')).toEqual(['PAY-2', 'PAY-1'])
    for (const text of ['ZOË', 'zoë', 'Zoe\u0308']) expect(await found(text)).toEqual(['PAY-2'])
    expect(await found('rder')).toEqual([])
    expect(await found('order_7')).toEqual([])
    expect(await found('%')).toEqual([])
    expect((await search('pay-1')).matches[0]?.fields).toEqual(['PAYMENT_ID', 'PAYER_EMAIL'])
  })

  it('find any of the first three words of a name, and its last one', async () => {
    await pay('PAY-1', 'María José García López')
    await pay('PAY-2', 'Anna van der Berg-Meier')
    await pay('PAY-3', 'Cher')
    for (const text of ['maría', 'jos', 'García', 'lópez', 'garcía lópez']) expect(await found(text)).toEqual(['PAY-1'])
    for (const text of ['van der', 'der b', 'berg', 'berg-meier']) expect(await found(text)).toEqual(['PAY-2'])
    expect(await found('cher')).toEqual(['PAY-3'])
    for (const text of ['meier', 'osé', 'arcía']) expect(await found(text, ['PAYER_NAME'])).toEqual([])
  })

  it('find the newest payments of an amount, or with a card that ends in four digits', async () => {
    const { inbox } = store
    const card = { brand: 'visa', type: null, last4: '1250', countryCode: null }
    await inbox.receive(
      delivery(report('received', { paymentId: 'P1', details: { amount: '1250.50', card } }), { bytes: 'P1' }),
    )
    const yen = { paymentId: 'P2', details: { amount: '1250', currency: 'JPY' } }
    await inbox.receive(delivery(report('received', yen), { bytes: 'P2' }))
    for (const text of ['1250.5', '1,250.50', '$1,250.50', 'AUD 1250.50', 'aud1250.50', '1250.50 AUD'])
      expect({ text, found: await found(text) }).toEqual({ text, found: ['P1'] })
    expect(await search('1250')).toMatchObject({
      matches: [
        { payment: { id: 'P2' }, fields: ['AMOUNT'] },
        { payment: { id: 'P1' }, fields: ['CARD_LAST4'] },
      ],
    })
    for (const text of ['**** 1250', '•••• 1250']) expect(await found(text)).toEqual(['P1'])
    for (const text of ['1250 AUD', 'EUR 1250.50', '125', '1.250,50', '1,25'])
      expect({ text, found: await found(text) }).toEqual({ text, found: [] })
    expect(await found('1250', ['REFERENCE'])).toEqual([])
  })

  it('find the newest payments by the end of a reference or an id, where nothing begins with it', async () => {
    await settledLink(store, '1', { reference: 'order-48213' })
    await pay('PAY-91C7', 'Ada Lovelace', '1')
    await pay('C7AB-1', 'Zoë Byron')
    for (const text of ['48213', 'R-48213', '91c7', '-91C7']) expect(await found(text)).toEqual(['PAY-91C7'])
    for (const text of ['C7', '213', '4_213', '%8213', '4821']) expect(await found(text, ['REFERENCE'])).toEqual([])
    expect(await found('c7')).toEqual(['C7AB-1'])
  })

  it('find a name whichever of ss and ß it is spelled with', async () => {
    const names = ['Anna Straße', 'Ben Strasse', 'CARL STRAẞE', 'Jessica Weiß', 'Jörg Großmann', 'JESSICA WEISS']
    for (const [n, name] of names.entries()) await pay(`PAY-${n}`, name)
    const spelled = async (text: string) => new Set(await found(text, ['PAYER_NAME']))
    for (const text of ['strasse', 'Straße', 'STRASSE', 'STRAẞE', 'straß', 'stras', 'strass'])
      expect({ text, found: await spelled(text) }).toEqual({ text, found: new Set(['PAY-0', 'PAY-1', 'PAY-2']) })
    for (const text of ['jessica weiss', 'Jessica Weiß', 'Jeßica Weis'])
      expect({ text, found: await spelled(text) }).toEqual({ text, found: new Set(['PAY-3', 'PAY-5']) })
    for (const text of ['jörg grossmann', 'JÖRG GROSSM', 'Jörg Großmann', 'groß'])
      expect({ text, found: await spelled(text) }).toEqual({ text, found: new Set(['PAY-4']) })
    expect(await spelled('strase')).toEqual(new Set())
    expect(await search('weiss', ['PAYER_NAME'], 2)).toMatchObject({ more: false })
    expect(await search('weiss', ['PAYER_NAME'], 1)).toMatchObject({ more: true })
  })

  it('find a name however its accents are written', async () => {
    const names = ['Trần Văn Bệnh', 'Zoë', '김감', 'ガギグ']
    for (const [n, name] of names.entries())
      for (const form of ['NFC', 'NFD'] as const) await pay(`PAY-${n}-${form}`, name.normalize(form))
    for (const [n, text] of ['TRẦN', 'zoë', '김감', 'ガギ'].entries())
      for (const form of ['NFC', 'NFD'] as const)
        expect({ text, found: await found(text.normalize(form), ['PAYER_NAME']) }).toEqual({
          text,
          found: [`PAY-${n}-NFD`, `PAY-${n}-NFC`],
        })
  })

  it('find nothing by what is not asked about', async () => {
    await pay('PAY-1', 'Ada Lovelace')
    expect(await found('ada', ['REFERENCE', 'PAYMENT_ID', 'LINK_ID'])).toEqual([])
    expect(await search('ada', [])).toEqual({ matches: [], more: false })
  })

  it('give the newest first, and say that there are more', async () => {
    for (const n of [1, 2, 3]) await pay(`PAY-${n}`, `Ada ${n}`)
    expect(await found('ada')).toEqual(['PAY-3', 'PAY-2', 'PAY-1'])
    expect(await search('ada', SEARCH_FIELDS, 3)).toMatchObject({ more: false })
    const two = await search('ada', SEARCH_FIELDS, 2)
    expect(two.more).toBe(true)
    expect(two.matches).toHaveLength(2)
  })

  it('do not find an erased payer', async () => {
    await pay('PAY-1', 'Ada Lovelace Noel King')
    const request = { kind: 'PAYMENT', value: 'PAY-1', valueHash: 'h', requestedBy: null, requestedAt: NOW } as const
    const { number } = await store.erasures.begin(request)
    expect(await found('lovelace')).toEqual(['PAY-1'])
    expect(await store.erasures.step(number, after(1000))).toMatchObject({ payers: 1 })
    for (const text of ['ada', 'lovelace', 'king', 'noel', 'pay-1@mail']) expect(await found(text)).toEqual([])
    expect(await found('pay-1')).toEqual(['PAY-1'])
  })
}
