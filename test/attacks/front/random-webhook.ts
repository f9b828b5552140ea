import { sign } from '../../../src/webhooks/signature.ts'
import type { Random } from '../../faults/random.ts'
import { paymentBody } from '../../support/webhooks.ts'
import { oneOf } from '../random-operation.ts'
import { longText } from '../random-text.ts'
import { anyValue } from '../random-value.ts'
import { WEBHOOK_SECRET } from './fuzzed-server.ts'
import type { RequestParts } from './write-request.ts'

const PATHS = [
  'payments',
  'payments',
  'payments/abc',
  'agreements/abc',
  'payouts/abc',
  'gateway-payments/abc',
  'refunds',
  '',
]
const FIELDS = [
  'uuid',
  'name',
  'email',
  'status',
  'currency',
  'amount',
  'total',
  'paid_amount',
  'payment_method',
  'card',
  'x',
]

/** Returns a webhook with a valid signature, an invalid one or none, and any body. */
export function randomWebhook(random: Random): RequestParts {
  const body = webhookBody(random)
  const signature = oneOf(random, [
    sign(body, WEBHOOK_SECRET),
    sign(body, WEBHOOK_SECRET),
    sign(body, 'another secret'),
    '0'.repeat(64),
    '',
    longText(random, 9_000, oneOf(random, ['a', 'sha256=', ' ', 'g'])).replace(/[^\x20-\x7e]/g, 'x'),
  ])
  const type = oneOf(random, [
    'application/json',
    'application/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    '',
  ])
  return {
    method: random() < 0.95 ? 'POST' : oneOf(random, ['GET', 'PUT', 'DELETE', 'HEAD']),
    path: `/webhooks/${oneOf(random, PATHS)}`,
    headers: [
      ['Content-Type', type],
      ['Http-Webhook-Signature', signature],
      ...(random() < 0.3 ? ([['Authorization', longText(random, 200, 'a')]] as const) : []),
    ],
    body,
  }
}

function webhookBody(random: Random): Buffer {
  const field = oneOf(random, FIELDS)
  const body = oneOf(random, [
    () => paymentBody(),
    () => paymentBody({ [field]: anyValue(random) }),
    () => paymentBody({ [field]: longText(random, random() * 90_000) }),
    () => JSON.stringify(anyValue(random)),
    () => '['.repeat(Math.floor(random() * 45_000)),
    () => `{"uuid":${'9'.repeat(Math.floor(random() * 90_000))}}`,
    () => longText(random, random() * 90_000),
  ])()
  return Buffer.from(body)
}
