import { type Sandbox, startSandbox } from '../../src/sandbox/index.ts'
import type { PaymentStatus } from '../../src/sandbox/payments/status.ts'
import { agreementBody, payoutBody } from '../unit/sandbox/bodies.ts'
import { call, linkBody } from '../unit/sandbox/support.ts'
import { refusingPort } from './upstream/scripted-service.ts'

type Json = Record<string, unknown>

/** Long on the sandbox clock, so that nothing moves by itself. */
const PACE_MS = 600_000

/** Two sandboxes, because the form of a link's object is chosen when one starts. */
export type Stage = { readonly flat: Sandbox; readonly nested: Sandbox; readonly target: Json }

/** Starts both, with a webhook address that nobody listens at: what they tell there is another test's matter. */
export async function startStage(): Promise<Stage> {
  const [flat, nested] = await Promise.all([
    startSandbox({ paceMs: PACE_MS }),
    startSandbox({ paceMs: PACE_MS, webhookForm: 'nested' }),
  ])
  const target = {
    endpoint_url: `http://127.0.0.1:${await refusingPort()}/hook`,
    authorization_header: 'Bearer v1.k.abc',
  }
  return { flat, nested, target }
}

let made = 0
/** A text that was not used before. */
export const fresh = () => `fixture-${++made}`

/** Calls the interface. Throws unless the answer is 200. */
export async function ok(sandbox: Sandbox, path: string, options: Parameters<typeof call>[2] = {}): Promise<Json> {
  const { status, text, json } = await call(sandbox, path, options)
  if (status !== 200) throw new Error(`${path} was answered ${status}: ${text}`)
  return json
}

/** Calls the interface, and gives the body of its refusal. Throws when there is none. */
export async function refused(sandbox: Sandbox, path: string, options: Parameters<typeof call>[2]): Promise<Json> {
  const { status, json } = await call(sandbox, path, options)
  if (status < 400) throw new Error(`${path} was answered ${status}`)
  return json
}

export const AGREEMENTS = '/v1/pay_to/payment_agreement'

/** An agreement, as its creation answers. */
export const newAgreement = ({ flat, target }: Stage, over: Json = {}) =>
  ok(flat, AGREEMENTS, {
    body: agreementBody({
      client_transaction_id: fresh(),
      payment_agreement_notification: target,
      external_id: 'tenant-9',
      ...over,
    }),
  })

/** A link whose payment stands in a status, as its detail shows it. */
export async function linkIn(
  sandbox: Sandbox,
  { target }: Stage,
  status: PaymentStatus,
  over: Json = {},
): Promise<Json> {
  const body = linkBody({ payin_method_code: 'au_card_aud', webhook_notification: target, ...over })
  const { uuid } = await ok(sandbox, '/v3/payin_links', { body })
  await sandbox.control.setStatus(String(uuid), status)
  return ok(sandbox, `/v3/payin_links/${String(uuid)}`)
}

/** A direct payin, as its creation answers. */
export const newPayin = ({ flat, target }: Stage, body: Json, site: string) =>
  ok(flat, '/v2/payins', { site, body: { webhook_notification: target, external_id: 'order-18', ...body } })

/** A payout in PHP, as its creation answers. */
export const newPayout = ({ flat, target }: Stage, over: Json = {}) =>
  ok(flat, '/v2/payouts', { site: 'php', body: payoutBody({ webhook_notification: target, ...over }) })

/** Yesterday to tomorrow on the sandbox clock, as a query. */
export function span({ clock }: Sandbox): string {
  const day = (ms: number) => new Date(clock.now().getTime() + ms).toISOString().slice(0, 19)
  return `from_date=${day(-86_400_000)}&to_date=${day(86_400_000)}`
}
