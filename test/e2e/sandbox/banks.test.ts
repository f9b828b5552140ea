import { startSandbox, vietQr } from 'payments-subgraph-sandbox'
import { afterAll, expect, test } from 'vitest'
import { create, payinBody } from './bodies.ts'
import { call, control } from './support.ts'

const sandbox = await startSandbox()
afterAll(() => sandbox.close())

const PATH = '/v2/banks/lookup/qr_content'
/** The example of the published VietQR format, so its checksum is not the result of our code. */
const PUBLISHED =
  '00020101021238570010A00000072701270006970403011300110123456780208QRIBFTTA530370454061800005802VN62340107NPS68690819thanh toan don hang63042E2E'

const lookUp = (qr_content: unknown, site = 'vnd'): ReturnType<typeof call> =>
  call(sandbox, PATH, { site, body: { qr_content } })

test('the published example is resolved', async () => {
  const { status, json } = await lookUp(PUBLISHED)
  expect(status).toBe(200)
  expect(json).toEqual({
    account_name: 'PHAM THI DUNG',
    account_number: '0011012345678',
    bank_name: 'Sacombank',
    swift_code: 'SGTTVNVX',
  })
})

test('a file that contains the payload as text is resolved, and any other is not', async () => {
  const byImage = (content: string) => {
    const body = new FormData()
    body.append('image', new Blob([`\x89PNG ${content}\x00`]), 'qr.png')
    const headers = { 'app-id': 'sandbox-vnd', 'secret-key': 'sandbox-secret-vnd' }
    return fetch(`${sandbox.url}/v2/banks/lookup/qr_image`, { method: 'POST', body, headers })
  }
  expect(await (await byImage(PUBLISHED)).json()).toMatchObject({ account_name: 'PHAM THI DUNG' })
  expect((await byImage('a cat')).status).toBe(404)
})

test('every account that the control endpoint names is resolved', async () => {
  const { json } = await control(sandbox, '/banks')
  const known = json['records'] as Record<string, unknown>[]
  expect(known.length).toBeGreaterThan(2)
  for (const { qrContent, accountNumber, accountName, bankName, swiftCode } of known) {
    expect((await lookUp(qrContent)).json).toEqual({
      account_name: accountName,
      account_number: accountNumber,
      bank_name: bankName,
      swift_code: swiftCode,
    })
  }
})

test('the payload of a VND payin leads to an account', async () => {
  const body = payinBody({ currency: 'VND', amount: 20_000, payin_method_name: 'vn_vietqr_vnd' })
  const { pay_code: payCode } = (await create(sandbox, '/v2/payins', body, 'vnd')) as {
    pay_code: { qr_string: string }
  }
  expect(payCode.qr_string).toContain('540520000')
  expect((await lookUp(payCode.qr_string)).status).toBe(200)
})

const KNOWN = { bin: '970436', accountNumber: '0011223344' }

test.each<[string, unknown]>([
  ['an unknown bank', vietQr({ ...KNOWN, bin: '970499' })],
  ['an unknown account', vietQr({ ...KNOWN, accountNumber: '0000000000' })],
  ['an account of another bank', vietQr({ ...KNOWN, bin: '970403' })],
  ['a wrong checksum', PUBLISHED.replace(/2E2E$/, '2E2F')],
  ['a changed account', PUBLISHED.replace('0011012345678', '0011012345679')],
  ['no checksum', PUBLISHED.slice(0, -8)],
  ['a length that goes too far', '0099016304B8C0'],
  ['a text that is no payload', 'https://shop.example.test'],
  ['an empty text', ''],
  ['a number', 7],
  ['nothing', undefined],
])('%s is answered 404 with a message', async (_name, content) => {
  const { status, json } = await lookUp(content)
  expect(status).toBe(404)
  expect(json).toEqual({ errors: { message: expect.any(String) as string } })
})

test('a site without VND has no look-up, and wrong credentials have a code', async () => {
  expect((await lookUp(PUBLISHED, 'aud')).status).toBe(404)
  const { status, json } = await call(sandbox, PATH, {
    site: 'vnd',
    body: { qr_content: PUBLISHED },
    headers: { 'secret-key': 'wrong' },
  })
  expect([status, json]).toEqual([401, { errors: { code: 'REQUIRE_LOGIN', message: 'Not Authorised' } }])
})

test('a text that is no JSON is answered 400 without a body', async () => {
  expect(await call(sandbox, PATH, { site: 'vnd', body: '{' })).toMatchObject({ status: 400, text: '' })
})
