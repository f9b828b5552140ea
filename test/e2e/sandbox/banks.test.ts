import { startSandbox, vietQr } from 'payments-subgraph-sandbox'
import { afterAll, expect, test } from 'vitest'
import { call } from './support.ts'

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

const KNOWN = { bin: '970436', accountNumber: '0011223344' }

test.each<[string, unknown]>([
  ['an unknown bank', vietQr({ ...KNOWN, bin: '970499' })],
  ['an account of another bank', vietQr({ ...KNOWN, bin: '970403' })],
  ['a wrong checksum', PUBLISHED.replace(/2E2E$/, '2E2F')],
  ['a text that is no payload', 'https://shop.example.test'],
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
