import type { Sandbox } from 'payments-subgraph-sandbox'
import { expect, test } from 'vitest'
import { call, createLink, press, sandboxFor, startReceiver } from './support.ts'

const SENDER = { email: 'ada@example.test', first_name: 'Ada', last_name: 'Payer' }

async function page(sandbox: Sandbox, uuid: string): Promise<string> {
  return (await fetch(`${sandbox.origin}/checkout/${uuid}`)).text()
}

/** Submits a form as a browser does. Returns the URL that the page redirects to. */
async function submit(
  sandbox: Sandbox,
  uuid: string,
  action: string,
  form: Record<string, string> = {},
): Promise<string> {
  const response = await fetch(`${sandbox.origin}/checkout/${uuid}/${action}`, {
    method: 'POST',
    body: new URLSearchParams(form),
    redirect: 'manual',
  })
  expect(response.status).toBe(303)
  return response.headers.get('location') ?? ''
}

test('the page is accessible, escapes what it shows, and allows no inline script', async () => {
  const sandbox = await sandboxFor()
  const uuid = await createLink(sandbox, {
    description: '<script>alert("x")</script>',
    redirect_url: { success: 'https://shop.example.test/ok?a="b"', failure: 'https://other.example.test/no' },
  })
  const response = await fetch(`${sandbox.origin}/checkout/${uuid}`)
  const text = await response.text()
  expect(text).toContain('<html lang="en">')
  expect(text).toMatch(/<main[\s>]/)
  expect(text).toMatch(/<h1[^>]*><span[^>]*>Pay <\/span>125\.50 <small>AUD<\/small><\/h1>/)
  expect(text).toMatch(/<fieldset[^>]*>\s*<legend>Payment method<\/legend>/)
  expect(text).toMatch(/<label[^>]*>\s*<input[^>]* value="au_card_aud"[^]*<b>Card<\/b>/)
  expect(text).toContain('role="status"')
  expect(text).toMatch(/Open until <time[^>]*>\d\d:\d\d UTC<\/time>/)
  for (const name of ['Pay', 'Decline', 'Let it expire'])
    expect(text).toMatch(new RegExp(`<button[^>]*>[^]*${name}[^]*</button>`))
  expect(text).not.toContain('<script>alert')
  expect(text).not.toContain('a="b"')
  const policy = response.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self'")
  expect(policy).toContain("form-action 'self' https://shop.example.test https://other.example.test")
  expect(policy).not.toContain('unsafe')
  const files = [...text.matchAll(/(?:href|src)="(\/[^"#]+\.(?:js|css|woff2))"/g)].map(([, path]) => path)
  expect(files.length).toBe(3)
  for (const path of files) expect((await fetch(`${sandbox.origin}${path}`)).status).toBe(200)
})

test('a bank payment goes from the form to received, and Done leads to the success address', async () => {
  const sandbox = await sandboxFor()
  const receiver = await startReceiver()
  const uuid = await createLink(sandbox, {
    webhook_notification: { endpoint_url: receiver.url },
    redirect_url: { success: 'https://shop.example.test/ok', failure: 'https://shop.example.test/no' },
  })
  expect(await submit(sandbox, uuid, 'pay', { method_code: 'au_alias_npp_aud' })).toBe(`/checkout/${uuid}`)
  expect(await page(sandbox, uuid)).toContain('http-equiv="refresh"')
  await sandbox.clock.advance(400)
  expect(receiver.statuses()).toEqual(['pending', 'received'])
  expect(receiver.received[1]?.json).toMatchObject({
    payment_method: 'pay_id',
    sender_details: null,
    is_refundable: true,
  })
  const text = await page(sandbox, uuid)
  expect(text).toMatch(/<button[^>]*>Done<\/button>/)
  expect(text).toContain('data-page-state="success"')
  expect(await submit(sandbox, uuid, 'done')).toBe('https://shop.example.test/ok')
})

test('Decline fails the payment, says why, and Done leads to the failure address', async () => {
  const sandbox = await sandboxFor()
  const receiver = await startReceiver()
  const uuid = await createLink(sandbox, {
    webhook_notification: { endpoint_url: receiver.url },
    redirect_url: { failure: 'https://shop.example.test/no' },
  })
  await submit(sandbox, uuid, 'decline', { method_code: 'au_card_aud' })
  await sandbox.settle()
  expect(receiver.statuses()).toEqual(['pending', 'failed'])
  expect(receiver.received[1]?.json['pay_code']).toMatchObject({ error_code: 'generic_declined' })
  expect(await page(sandbox, uuid)).toContain('The payment was declined for an unknown reason.')
  expect(await submit(sandbox, uuid, 'done')).toBe('https://shop.example.test/no')
})

test('mobile money waits for the prompt: confirmed is received, dismissed and ignored are failed', async () => {
  const sandbox = await sandboxFor()
  const receiver = await startReceiver()
  const over = { amount: 500, webhook_notification: { endpoint_url: receiver.url } }
  const [paid, dismissed, ignored] = [
    await createLink(sandbox, over, 'kes'),
    await createLink(sandbox, over, 'kes'),
    await createLink(sandbox, over, 'kes'),
  ]
  for (const uuid of [paid, dismissed, ignored]) await press(sandbox, uuid, 'pay')
  await sandbox.clock.advance(60_000)
  expect(receiver.statuses()).toEqual(['pending', 'pending', 'pending'])
  const text = await page(sandbox, paid)
  expect(text).toContain('I have paid')
  expect(text).toContain('Dismiss the prompt')

  expect(await submit(sandbox, paid, 'confirm')).toBe(`/checkout/${paid}`)
  expect((await press(sandbox, dismissed, 'dismiss')).json['status']).toBe('failed')
  await sandbox.clock.advance(5 * 60_000)
  expect(receiver.statuses().slice(3)).toEqual(['received', 'failed', 'failed'])
  expect(receiver.received[3]?.json).toMatchObject({ payment_method: 'ke_mobile_money_kes', is_refundable: false })
  const detail = await call(sandbox, `/v3/payin_links/${ignored}`, { site: 'kes' })
  expect(detail.json).toMatchObject({ status: 'failed', pay_code: { error_code: 'customer_canceled' } })
})

test.each<[string, Record<string, unknown>]>([
  ['name', { sender_info: { ...SENDER, last_name: '3ds' } }],
  ['amount', { amount: 333.33 }],
])('the magic %s asks for a 3DS step, which goes on to received', async (_name, over) => {
  const sandbox = await sandboxFor()
  const receiver = await startReceiver()
  const uuid = await createLink(sandbox, { ...over, webhook_notification: { endpoint_url: receiver.url } })
  expect(await submit(sandbox, uuid, 'pay', { method_code: 'au_card_aud' })).toBe(`/checkout/${uuid}/3ds`)
  await sandbox.clock.advance(60_000)
  expect(receiver.received.map(({ json }) => json['pay_code'])).toEqual([
    { '3ds_url': `${sandbox.origin}/checkout/${uuid}/3ds` },
  ])
  expect(await (await fetch(`${sandbox.origin}/checkout/${uuid}/3ds`)).text()).toContain('Approve the payment')
  await submit(sandbox, uuid, '3ds', { result: 'complete' })
  await sandbox.clock.advance(800)
  expect(receiver.statuses()).toEqual(['pending', 'authorised', 'waiting', 'received'])
})

test('a link that nobody uses expires, with a webhook', async () => {
  const sandbox = await sandboxFor()
  const receiver = await startReceiver()
  const uuid = await createLink(sandbox, { expires_in: 900, webhook_notification: { endpoint_url: receiver.url } })
  await sandbox.clock.advance(890_000)
  expect(receiver.received).toEqual([])
  await sandbox.clock.advance(10_000)
  expect(receiver.received.map(({ json }) => [json['uuid'], json['status']])).toEqual([[uuid, 'expired']])
  expect((await call(sandbox, `/v3/payin_links/${uuid}`)).json['status']).toBe('expired')
  expect(await press(sandbox, uuid, 'pay')).toMatchObject({ status: 409, json: { status: 'expired' } })
  expect(await page(sandbox, uuid)).toContain('This link has expired.')
})

test('actions that do not fit the state are refused, and change nothing', async () => {
  const sandbox = await sandboxFor()
  const uuid = await createLink(sandbox)
  for (const action of ['confirm', 'dismiss', '3ds']) expect((await press(sandbox, uuid, action)).status).toBe(409)
  expect((await press(sandbox, uuid, 'pay', { method_code: 'nz_card_nzd' })).status).toBe(422)
  expect((await press(sandbox, uuid, 'decline', { error_code: 'nonsense' })).status).toBe(422)
  await sandbox.control.setStatus(uuid, 'received')
  for (const action of ['pay', 'decline', 'expire']) expect((await press(sandbox, uuid, action)).status).toBe(409)
  expect(sandbox.control.state().links[0]?.history.map(({ status }) => status)).toEqual(['received'])
})
