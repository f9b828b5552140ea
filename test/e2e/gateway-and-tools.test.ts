import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { crc16 } from '../../src/domain/accounts/vietqr.ts'
import { gatewayInput, newKey, qrImage } from '../support/inputs.ts'
import { asked, mutate } from '../support/mutations.ts'
import { PRODUCTION, startNetwork, type Network } from '../support/network.ts'
import { BY_HAND, createPayin } from '../support/payins.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND })))
afterEach(() => network.sandbox.control.clearFaults())
afterAll(() => network.close())

const CREATE = '/v1/payment_gateways/create_payment'
const calls = () => network.sandbox.control.calls().length

describe('createGatewayPayment', () => {
  const create = (over: Record<string, unknown> = {}, on = network) =>
    mutate(on, 'createGatewayPayment', gatewayInput(over))

  it('gives where to send the customer, once for one key', async () => {
    const input = gatewayInput()
    const before = asked(network, 'POST', CREATE)
    const first = await mutate(network, 'createGatewayPayment', input)
    expect(first).toMatchObject({
      __typename: 'CreateGatewayPaymentSuccess',
      replayed: false,
      reference: input['reference'],
      redirectUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/checkout\/.+\?payment=/),
    })
    const made = network.sandbox.control.state().gatewayPayments.find(({ orderId }) => orderId === input['reference'])
    expect(made).toMatchObject({ amount: '99.95', currency: 'AUD' })
    expect(first['paymentId']).toBe(String(made?.paymentId))
    expect(await mutate(network, 'createGatewayPayment', input)).toEqual({ ...first, replayed: true })
    expect(await create({ ...input, description: 'Another order' })).toMatchObject({
      __typename: 'PaymentsIdempotencyConflictError',
    })
    expect(asked(network, 'POST', CREATE) - before).toBe(1)
  })

  it('that was not answered is unknown, and never sent again', async () => {
    const input = gatewayInput()
    const before = asked(network, 'POST', CREATE)
    network.sandbox.control.addFault({ method: 'POST', path: CREATE, answer: 'drop-after' })
    for (let attempt = 0; attempt < 3; attempt++)
      expect(await mutate(network, 'createGatewayPayment', input)).toMatchObject({
        __typename: 'PaymentsOutcomeUnknownError',
      })
    expect(asked(network, 'POST', CREATE) - before).toBe(1)
  })

  it('with something wrong is refused without a call', async () => {
    const before = calls()
    const wrong = { reference: '', items: [{ id: '1', name: 'A', quantity: 0, price: '1' }] }
    expect(await create(wrong)).toMatchObject({
      __typename: 'PaymentsInvalidInputError',
      problems: [{ path: ['reference'] }, { path: ['items', '0', 'quantity'] }],
    })
    expect(calls()).toBe(before)
  })
})

describe('bankLookupByImage', () => {
  const LOOKUP = `query Lookup($image: String!) {
    bankLookupByImage(image: $image) {
      __typename
      ... on PaymentBankLookup { accountName accountNumber bankName swiftCode }
      ... on PaymentsError { code }
    }
  }`
  const lookUp = async (image: string) => (await network.ask(LOOKUP, { image })).data['bankLookupByImage']
  const sent = () => asked(network, 'POST', '/v2/banks/lookup/qr_image')

  it('finds the account behind a picture', async () => {
    for (const { qrContent, accountName, accountNumber, bankName, swiftCode } of network.sandbox.control.bankAccounts())
      expect(await lookUp(qrImage(qrContent))).toEqual({
        __typename: 'PaymentBankLookup',
        accountName,
        accountNumber,
        bankName,
        swiftCode,
      })
    expect(await lookUp(qrImage('a cat'))).toMatchObject({ __typename: 'PaymentsNotFoundError' })
  })

  it('sends no more than a picture of 32 KiB', async () => {
    const before = sent()
    const jpeg = Buffer.concat([Buffer.from('ffd8ff', 'hex'), Buffer.alloc(32_768)])
    for (const image of ['', 'no Base64', Buffer.from('a text').toString('base64'), jpeg.toString('base64')])
      expect(await lookUp(image)).toEqual({ __typename: 'PaymentsInvalidQrContentError', code: 'INVALID_QR' })
    expect(sent()).toBe(before)
  })
})

describe('bankLookup', () => {
  const LOOKUP = `query Lookup($qr: String!) {
    bankLookup(qrContent: $qr) {
      __typename
      ... on PaymentBankLookup { accountName accountNumber bankName swiftCode }
      ... on PaymentsInvalidQrContentError { position }
      ... on PaymentsUpstreamRejectedError { httpStatus }
      ... on PaymentsError { code }
    }
  }`
  const lookUp = async (qr: string) => (await network.ask(LOOKUP, { qr })).data['bankLookup']
  const field = (tag: string, value: string) => tag + String(value.length).padStart(2, '0') + value
  const sealed = (body: string) => `${body}6304${crc16(`${body}6304`)}`
  const HEAD = field('00', '01') + field('01', '11')
  const scheme = (account: string) =>
    field('38', field('00', 'A000000727') + field('01', account) + field('02', 'QRIBFTTA'))
  const account = (bin: string, number: string) => field('00', bin) + field('01', number)
  const TAIL = field('53', '704') + field('58', 'VN')
  const FOUND = HEAD + scheme(account('970436', '0011223344')) + TAIL

  it('finds the account behind a payload', async () => {
    for (const { qrContent, accountName, accountNumber, bankName, swiftCode } of network.sandbox.control.bankAccounts())
      expect(await lookUp(qrContent)).toEqual({
        __typename: 'PaymentBankLookup',
        accountName,
        accountNumber,
        bankName,
        swiftCode,
      })
    for (const [before, after] of [
      ['', ''],
      ['\ufeff', '\r\n'],
      ['\u001d \u200b\u202a', '\u202c\u00a0\u2028'],
    ] as const)
      expect(await lookUp(before + sealed(FOUND) + after)).toMatchObject({ accountName: 'NGUYEN VAN AN' })
  })

  it('finds none for an account or a bank that nobody knows', async () => {
    for (const [bin, number] of [
      ['970436', '999'],
      ['000000', '0011223344'],
    ] as const)
      expect(await lookUp(sealed(HEAD + scheme(account(bin, number)) + TAIL))).toEqual({
        __typename: 'PaymentsNotFoundError',
        code: 'NOT_FOUND',
      })
  })

  const sealedFound = sealed(FOUND)
  it.each<[string, string, number]>([
    ['no payload', 'hello', 0],
    ['another checksum', `${sealedFound.slice(0, -4)}0000`, sealedFound.length - 4],
    ['another country', sealed(FOUND.replace('5802VN', '5802TH')), FOUND.indexOf('5802VN') + 4],
  ])('refuses %s, and names the place, without a call', async (_what, qr, position) => {
    const before = calls()
    expect(await lookUp(qr)).toEqual({ __typename: 'PaymentsInvalidQrContentError', code: 'INVALID_QR', position })
    expect(calls()).toBe(before)
  })

  it.each([
    [401, { errors: { code: 'REQUIRE_LOGIN', message: 'Not Authorised' } }, 'PaymentsCredentialsRejectedError'],
    [422, { errors: { message: 'odd' } }, 'PaymentsUpstreamRejectedError'],
  ])('met by %i with %j is %s', async (status, body, __typename) => {
    network.sandbox.control.addFault({ path: '/v2/banks/*', answer: { status, body } })
    expect(await lookUp(sealedFound)).toMatchObject({ __typename })
  })
})

describe('simulateDeposit', () => {
  const deposit = (over: Record<string, unknown> = {}) =>
    mutate(network, 'simulateDeposit', {
      accountNumber: '0012345',
      amount: { value: '5000', currency: 'JPY' },
      ...over,
    })

  it.each(['ﾔﾏﾀﾞ ﾊﾅｺ', 'ヤマダ　ハナコ', 'やまだ はなこ', 'パーティー'])('takes the sender %j', async (remitterName) => {
    expect(await deposit({ remitterName, remitterBankName: 'ﾐｽﾞﾎ', remitterBranchName: 'ほんてん' })).toEqual({
      __typename: 'SimulationAccepted',
      response: { status: 'ok' },
    })
    expect(network.sandbox.control.state().deposits.at(-1)).toMatchObject({ siteId: 'jpy', amount: '5000' })
  })

  it.each<[string, Record<string, unknown>]>([
    ['remitterName', { remitterName: 'Yamada' }],
    ['remitterBranchName', { remitterBranchName: '本店' }],
    ['amount.value', { amount: { value: '5000.5', currency: 'JPY' } }],
    ['site', { site: 'aud' }],
  ])('refuses what is wrong at %s, %j, without a call', async (path, over) => {
    const before = calls()
    const result = await deposit(over)
    expect(result).toMatchObject({ __typename: 'PaymentsInvalidInputError', problems: [{ path: path.split('.') }] })
    expect(JSON.stringify(result)).not.toMatch(/Yamada|花/)
    expect(calls()).toBe(before)
  })
})

describe('a service that is in production', () => {
  it('is never asked to simulate anything', async () => {
    const own = await startNetwork({ sandbox: BY_HAND, env: { ...PRODUCTION, UPSTREAM_ENVIRONMENT: 'production' } })
    try {
      const { id: paymentId } = await createPayin(own)
      const before = own.sandbox.control.calls().length
      const only = { __typename: 'PaymentsSandboxOnlyError', code: 'SANDBOX_ONLY', retryable: false }
      const amount = { value: '5000', currency: 'JPY' }
      expect(await mutate(own, 'simulateDeposit', { accountNumber: newKey(), amount })).toEqual({
        ...only,
        message: expect.any(String),
      })
      expect(await mutate(own, 'simulatePayin', { paymentId, outcome: 'COMPLETED' })).toMatchObject(only)
      expect(own.sandbox.control.calls()).toHaveLength(before)
    } finally {
      await own.close()
    }
  })
})
