import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  AGREEMENTS,
  fresh,
  linkIn,
  newAgreement,
  newPayin,
  newPayout,
  ok,
  refused,
  span,
  type Stage,
  startStage,
} from './sandbox-stage.ts'
import { agreementBody, aliasBody, payinBody, v1PayoutBody } from './sandbox/bodies.ts'
import { linkBody } from './sandbox/support.ts'
import { missingPlaces, otherTypes, shapeOf } from './shapes.ts'

/**
 * The recorded bodies that test our parsers also check the sandbox: its answers must have the keys and types of the recording. Each
 * deliberate difference is listed; places below a listed place are not.
 */
type Row = {
  readonly fixture: string
  readonly of: (stage: Stage) => Promise<unknown>
  /** A more complete recording of an object that `fixture` records only in part, and the place of that object in it. */
  readonly whole?: { readonly fixture: string; readonly at: string }
  /** Maps whose keys vary: only the types of their values are compared. */
  readonly open?: readonly string[]
  /** `lacks`: not in the answer; `adds`: not in the recording; `type`: of another type than in the recording. */
  readonly differs?: readonly string[]
}

/** Recorded forms that the sandbox does not have: it nests links in the older form. */
const NOT_EMULATED = ['link-nested-newer']

/** Maps whose keys depend on the method or on the merchant, wherever they occur. */
const OPEN = ['pay_code', 'payin_method_params', 'payout_method_params', 'metadata', 'meta_data']

/** Keys of the sandbox's payins that the recordings do not have; each is an optional field of the payments API. */
const PAYIN_EXTRAS = ['pay_by', 'refund_information', 'stage', 'status_text']

/** What the sandbox repeats of the request of a v1 payout; no page shows whether the payments API does. */
const V1_ADDS = [
  'adds created_at',
  'adds is_retry',
  'adds payout_transactions[].address',
  'adds payout_transactions[].email',
]

const ROWS: readonly Row[] = [
  { fixture: 'access-token', of: ({ flat }) => ok(flat, '/v1/payment_gateways/access_token') },
  {
    fixture: 'gateway-payment',
    of: async ({ flat, target }) => {
      const { access_token: token } = await ok(flat, '/v1/payment_gateways/access_token')
      const contact = { first_name: 'Jo', last_name: 'Payer', phone: '+61412345678', email: 'jo@payer.test' }
      return ok(flat, '/v1/payment_gateways/create_payment', {
        headers: { 'access-token': String(token) },
        body: {
          order_id: fresh(),
          amount: 100,
          description: 'Order payment',
          order_success_url: 'https://merchant.test/done',
          payment_gateway_notification: target,
          order_details: { billing_details: contact },
        },
      })
    },
  },
  {
    fixture: 'agreement-created',
    of: (at) =>
      newAgreement(at, {
        payer_details: {
          name: 'Jo Payer',
          bank_account_details: { bsb: '062-000', account_number: '123456789' },
          pay_id_details: { pay_id: 'jo@payer.test', pay_id_type: 'EMAIL' },
        },
      }),
  },
  {
    fixture: 'agreement-amended',
    of: async (at) => {
      const { id } = await newAgreement(at, {
        payer_details: { name: 'Jo Payer', pay_id_details: { pay_id: '+61-412345678', pay_id_type: 'PHONE' } },
      })
      await at.flat.control.setAgreementStatus(Number(id), 'active')
      return ok(at.flat, `${AGREEMENTS}/amendment`, {
        body: {
          id,
          limit_amount: 5000,
          agreement_details: { usage_bases_agreement_details_obj: { start_date: '15/07/24', frequency: 'MONTHLY' } },
          payment_agreement_notification: at.target,
        },
      })
    },
    differs: ['adds payment_agreement_amendment.external_id', 'type payment_agreement_amendment.id'],
  },
  {
    fixture: 'agreements-page',
    whole: { fixture: 'agreement-created', at: 'records[]' },
    of: async (at) => {
      await newAgreement(at, {
        agreement_details: { fixed_agreement_details_obj: { start_date: '29/02/24', frequency: 'WEEKLY' } },
      })
      return ok(at.flat, `${AGREEMENTS}/search?${span(at.flat)}&size=1`)
    },
  },
  {
    fixture: 'balance-history',
    of: async ({ flat }) => {
      await ok(flat, '/v1/simulate_deposit', { body: { account_number: '1234567', amount: '10' } })
      return ok(flat, '/v1/balances/history?size=20')
    },
  },
  {
    fixture: 'balances',
    of: ({ flat }) => ok(flat, '/v2/balances/detail?currency=AUD'),
    differs: ['type outgoing_balance'],
  },
  {
    fixture: 'bank-account',
    of: ({ flat }) =>
      ok(flat, '/v2/banks/lookup/qr_content', {
        site: 'vnd',
        body: { qr_content: flat.control.bankAccounts()[0]?.qrContent },
      }),
  },
  {
    fixture: 'error-401',
    of: ({ flat }) => refused(flat, '/v2/payins/payin_methods', { headers: { 'secret-key': 'wrong' } }),
  },
  {
    fixture: 'error-422-map',
    of: ({ flat }) =>
      refused(flat, '/v2/payins/refund', {
        site: 'php',
        body: { uuid: 'MB3Y26GO', amount: 'x', description: 'Returned' },
      }),
    open: ['errors'],
  },
  {
    fixture: 'error-422-message',
    of: ({ flat }) => refused(flat, AGREEMENTS, { body: agreementBody({ payer_details: { name: 'Jo Payer' } }) }),
  },
  {
    fixture: 'payin-link-created',
    of: ({ flat }) => ok(flat, '/v3/payin_links', { body: linkBody() }),
  },
  {
    fixture: 'payin-links-page',
    of: async (at) => {
      await linkIn(at.flat, at, 'received')
      return ok(at.flat, '/v3/payin_links?per_page=1')
    },
    whole: { fixture: 'payment-flat-authorised', at: 'records[]' },
    // The flat form has no URL of a payment page, and the page size is a number.
    differs: ['adds records[].refund_information', 'lacks records[].payment_url', 'type per_page'],
  },
  {
    fixture: 'payin-methods',
    of: ({ flat }) => ok(flat, '/v3/payin_methods'),
    // The payments API's format of languages is unknown: the recording has objects, the sandbox has strings.
    differs: ['lacks records[].logo', 'type records[].checkout_languages[]'],
  },
  {
    fixture: 'payin-methods-v2',
    of: ({ flat }) => ok(flat, '/v2/payins/payin_methods'),
    // Only the currency and the code are certain to be present.
    differs: ['description', 'is_refundable', 'logo', 'max_amount', 'min_amount', 'payment_type', 'symbol'].map(
      (key) => `lacks records[].${key}`,
    ),
  },
  {
    fixture: 'payin-method-params',
    of: ({ flat }) => ok(flat, '/v2/payins/payin_method/params?payin_method_name=au_alias_npp_aud'),
    differs: ['adds record.require_kyc', 'type record.is_cancellable'],
  },
  {
    fixture: 'payin-record-v2',
    of: (at) =>
      newPayin(
        at,
        payinBody({
          currency: 'JPY',
          amount: 1000,
          payin_method_name: 'jp_bank_jpy',
          payin_method_params: { user_id: 'u1', user_name: 'Jo', first_name: 'ジョ', last_name: 'ペイヤ' },
          metadata: { external_id: 'elsewhere' },
        }),
        'jpy',
      ),
    whole: { fixture: 'payment-flat-authorised', at: '' },
    // The recording has the formats of an answer to a refund.
    differs: [
      ...PAYIN_EXTRAS.map((key) => `adds ${key}`),
      'lacks expried_at',
      'lacks payin_notification',
      'type is_refundable',
    ],
  },
  {
    fixture: 'payin-refunded',
    of: async (at) => {
      const { uuid } = await newPayin(at, aliasBody(), 'aud')
      await at.flat.control.setStatus(String(uuid), 'received')
      return ok(at.flat, '/v2/payins/refund', { body: { uuid, amount: 40.5, description: 'Returned goods' } })
    },
    whole: { fixture: 'payment-flat-authorised', at: 'payin_request' },
    differs: [
      ...[...PAYIN_EXTRAS, 'metadata'].map((key) => `adds payin_request.${key}`),
      'type payin_request.gst_amount',
      'type payin_request.is_refundable',
    ],
  },
  {
    fixture: 'payment-flat-authorised',
    of: (at) => linkIn(at.flat, at, 'authorised'),
    differs: ['adds refund_information', 'lacks sender_details.card.card_token_id'],
  },
  {
    fixture: 'payment-flat-failed',
    of: (at) => linkIn(at.flat, at, 'failed'),
    whole: { fixture: 'payment-flat-authorised', at: '' },
    differs: ['adds refund_information', 'type amount', 'type paid_amount', 'type total'],
  },
  {
    fixture: 'payment-flat-refunded',
    of: (at) => linkIn(at.flat, at, 'partially_refunded'),
    whole: { fixture: 'payment-flat-authorised', at: '' },
    differs: ['type is_refundable'],
  },
  {
    fixture: 'link-nested-older',
    of: (at) => linkIn(at.nested, at, 'received', { meta_data: { external_id: 'order-17' } }),
    // Only the flat form contains a token.
    differs: ['lacks token'],
  },
  { fixture: 'payout-methods', of: ({ flat }) => ok(flat, '/v2/payouts/payout_methods', { site: 'php' }) },
  {
    fixture: 'payout-method-params',
    of: ({ flat }) => ok(flat, '/v2/payouts/payout_method/params?payout_method_name=ph_bank_maya_php', { site: 'php' }),
  },
  {
    fixture: 'payout',
    of: (at) => newPayout(at, { external_id: '123', scheduled_at: '2099-01-01T00:00:00' }),
    differs: ['adds created_at', 'adds payout_transactions[].external_id', 'type external_id'],
  },
  {
    fixture: 'payouts-page',
    of: async (at) => {
      await newPayout(at)
      return ok(at.flat, `/v2/payouts/all?${span(at.flat)}&page=1`, { site: 'php' })
    },
    whole: { fixture: 'payout', at: 'records[]' },
    differs: ['adds records[].created_at', 'adds records[].payout_transactions[].external_id'],
  },
  {
    fixture: 'v1-payout',
    of: (at) => ok(at.flat, '/v1/payouts', { body: v1PayoutBody({ external_id: 'batch-7' }) }),
    differs: V1_ADDS,
  },
  {
    fixture: 'v1-payouts-page',
    of: async (at) => {
      await ok(at.flat, '/v1/payouts', { body: v1PayoutBody() })
      return ok(at.flat, `/v1/payouts/?${span(at.flat)}&page=1`)
    },
    whole: { fixture: 'v1-payout', at: 'records[]' },
    differs: V1_ADDS.map((added) => added.replace(' ', ' records[].')),
  },
]

const FIXTURES = join(import.meta.dirname, '../fixtures/upstream')
const recorded = (name: string): unknown => JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), 'utf8'))

describe('the sandbox', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage()
  })
  afterAll(async () => {
    await Promise.all([stage.flat.close(), stage.nested.close()])
  })

  it('is checked against every recording', () => {
    const recordings = readdirSync(FIXTURES).flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -5)] : []))
    expect([...ROWS.map(({ fixture }) => fixture), ...NOT_EMULATED].sort()).toEqual(recordings.sort())
  })

  it.each(ROWS)('answers in the shape of $fixture', async (row) => {
    const found = differences(row, await row.of(stage))
    expect(found).toEqual([...(row.differs ?? [])].sort())
  })
})

function differences({ fixture, whole, open = [] }: Row, answer: unknown): string[] {
  const maps = new Set([...OPEN, ...open])
  const recording = shapeOf(recorded(fixture), maps)
  const answered = shapeOf(answer, maps)
  const more = whole === undefined ? [] : shapeOf(recorded(whole.fixture), maps, whole.at)
  return [
    ...missingPlaces(recording, answered).map((place) => `lacks ${place}`),
    ...missingPlaces(answered, new Map([...more, ...recording])).map((place) => `adds ${place}`),
    ...otherTypes(recording, answered).map((place) => `type ${place}`),
  ].sort()
}
