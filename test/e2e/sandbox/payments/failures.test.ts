import { startSandbox } from 'payments-subgraph-sandbox'
import { afterAll, expect, test } from 'vitest'
import { call, createLink, press, startReceiver } from '../support.ts'

// The whole table shares one sandbox, because its links do not affect each other.
const sandbox = await startSandbox()
afterAll(() => sandbox.close())

const SENDER = { email: 'ada@example.test', first_name: 'Ada', last_name: 'Payer' }

/** Failure codes of docs/payments-api.md, section 7.2, and their places in it. */
const CODES = [
  ['account_closed', 1],
  ['insufficient_funds', 25],
  ['withdrawal_count_limit_exceeded', 34],
] as const

test.each(CODES)('the payment fails with %s by last name and by amount', async (code, number) => {
  const receiver = await startReceiver()
  const hundredths = String(number).padStart(2, '0')
  const notified = { webhook_notification: { endpoint_url: receiver.url } }
  const links: [string, Record<string, unknown>][] = [
    ['aud', { sender_info: { ...SENDER, last_name: code }, payin_method_code: 'au_card_aud' }],
    ['aud', { amount: Number(`666.${hundredths}`), payin_method_code: 'au_alias_npp_aud' }],
    ['jpy', { amount: Number(`666${hundredths}`), payin_method_code: 'jp_bank_jpy' }],
  ]
  for (const [site, over] of links) {
    receiver.received.length = 0
    const uuid = await createLink(sandbox, { ...over, ...notified }, site)
    expect((await press(sandbox, uuid, 'pay')).json['status']).toBe('failed')
    await sandbox.settle()
    expect(receiver.statuses()).toEqual(['pending', 'failed'])
    const [pending, failed] = receiver.received
    expect(pending?.json['pay_code']).toBe(null)
    expect(failed?.json['pay_code']).toEqual({
      error_code: code,
      error_message: expect.stringMatching(/\.$/) as string,
    })
    expect((await call(sandbox, `/v3/payin_links/${uuid}`, { site })).json).toEqual(failed?.json)
  }
})

test('amounts beside the magic ones are paid', async () => {
  for (const amount of [666, 666.35, 666.015]) {
    const uuid = await createLink(sandbox, { amount })
    expect((await press(sandbox, uuid, 'pay')).json['status']).toBe('pending')
  }
})
