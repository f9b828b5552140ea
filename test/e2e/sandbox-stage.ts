import { type Sandbox, startSandbox } from 'payments-subgraph-sandbox'
import type { PaymentStatus } from '../../packages/sandbox/src/state/link.ts'
import { agreementBody, payoutBody } from './sandbox/bodies.ts'
import { call, linkBody } from './sandbox/support.ts'
import { refusingPort } from './upstream/scripted-service.ts'

type Json = Record<string, unknown>

/** In milliseconds: long on the sandbox clock, so that no status changes by itself. */
const PACE_MS = 600_000

/** Two sandboxes, because the form of a link's object is an option of the start. */
export type Stage = { readonly flat: Sandbox; readonly nested: Sandbox; readonly target: Json }

/** Starts both. `target` is a webhook address on which nothing listens: webhooks are not tested here. */
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
/** Returns a text that was not returned before. */
export const fresh = () => `fixture-${++made}`

/** Calls the sandbox's API. Throws unless the answer is 200. */
export async function ok(sandbox: Sandbox, path: string, options: Parameters<typeof call>[2] = {}): Promise<Json> {
  const { status, text, json } = await call(sandbox, path, options)
  if (status !== 200) throw new Error(`${path} was answered ${status}: ${text}`)
  return json
}

/** Calls the sandbox's API and returns the body of its rejection. Throws if the status is below 400. */
export async function refused(sandbox: Sandbox, path: string, options: Parameters<typeof call>[2]): Promise<Json> {
  const { status, json } = await call(sandbox, path, options)
  if (status < 400) throw new Error(`${path} was answered ${status}`)
  return json
}

export const AGREEMENTS = '/v1/pay_to/payment_agreement'

/** Creates an agreement; returns the answer to its creation. */
export const newAgreement = ({ flat, target }: Stage, over: Json = {}) =>
  ok(flat, AGREEMENTS, {
    body: agreementBody({
      client_transaction_id: fresh(),
      payment_agreement_notification: target,
      external_id: 'tenant-9',
      ...over,
    }),
  })

/** Creates a link whose payment is in a status; returns the link's detail. */
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

/** Creates a direct payin; returns the answer to its creation. */
export const newPayin = ({ flat, target }: Stage, body: Json, site: string) =>
  ok(flat, '/v2/payins', { site, body: { webhook_notification: target, external_id: 'order-18', ...body } })

/** Creates a payout in PHP; returns the answer to its creation. */
export const newPayout = ({ flat, target }: Stage, over: Json = {}) =>
  ok(flat, '/v2/payouts', { site: 'php', body: payoutBody({ webhook_notification: target, ...over }) })

/** Returns the range from yesterday to tomorrow on the sandbox clock, as a query string. */
export function span({ clock }: Sandbox): string {
  const day = (ms: number) => new Date(clock.now().getTime() + ms).toISOString().slice(0, 19)
  return `from_date=${day(-86_400_000)}&to_date=${day(86_400_000)}`
}
