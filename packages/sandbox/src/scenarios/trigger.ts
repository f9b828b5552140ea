import { fetch } from 'undici'
import { z } from 'zod'

/** An emulator refused an event, or an expectation of a scenario was not met. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError'
}

/** What happens to which object: `payment.failed`, `agreement.active`, `payout.finished`, `webhook.duplicate`. */
export type TriggerOptions = {
  /** Origin of the emulator, such as http://127.0.0.1:4010. */
  readonly origin: string
  /** The uuid of a link, payin, agreement or payout. Without one, a link is created for an event of a payment. */
  readonly id?: string
  /** Details: `failure_code`, `refund_amount`, `silent`; of a new link `amount`, `currency`, `webhook_url`. */
  readonly set?: Readonly<Record<string, string>>
}

const EVENT = /^(payment|agreement|payout|webhook)\.([a-z_]+)$/
const PATHS = { payment: 'links', agreement: 'agreements', payout: 'payouts', webhook: 'links' }
const SETTABLE = ['failure_code', 'refund_amount', 'silent', 'amount', 'currency', 'webhook_url']

/** Makes an event happen in an emulator, and waits for its webhook. Returns the id of its object. Throws `ScenarioError` if it is refused. */
export async function trigger(event: string, { origin, id, set = {} }: TriggerOptions): Promise<string> {
  const [, kind, status = ''] = EVENT.exec(event) ?? []
  if (kind === undefined)
    throw new ScenarioError(
      `There is no event ${event}: it is payment., agreement. or payout. and a status, or webhook. and a fault.`,
    )
  const unknown = Object.keys(set).find((name) => !SETTABLE.includes(name))
  if (unknown !== undefined) throw new ScenarioError(`${unknown} cannot be set: there are ${SETTABLE.join(', ')}.`)
  if (id === undefined && kind !== 'payment') throw new ScenarioError(`${event} needs the id of its object.`)
  const subject = id ?? (await createLink(origin, set))
  const path = `/sandbox/${PATHS[kind as keyof typeof PATHS]}/${encodeURIComponent(subject)}`
  if (kind === 'webhook') await send(origin, `${path}/deliveries`, { kind: status })
  else
    await send(origin, `${path}/status`, {
      status,
      ...(set['failure_code'] === undefined ? {} : { errorCode: set['failure_code'] }),
      ...(set['refund_amount'] === undefined ? {} : { refundAmount: set['refund_amount'] }),
      ...(set['silent'] === 'true' ? { silent: true } : {}),
    })
  return subject
}

const about = z.object({ sites: z.array(z.object({ currencies: z.array(z.string()) })) })
const created = z.object({ status: z.number(), body: z.looseObject({ uuid: z.string().optional() }) })

/** Creates a link as a merchant does. Returns its uuid. */
export async function createLink(origin: string, set: Readonly<Record<string, string>>): Promise<string> {
  const { sites } = about.parse(await ask(origin, '/sandbox/about'))
  const { currency = sites[0]?.currencies[0] ?? '', amount = '12.5', webhook_url: webhookUrl } = set
  const { status, body } = created.parse(
    await send(origin, '/sandbox/requests', {
      currency,
      path: '/v3/payin_links',
      body: {
        amount: Number(amount),
        description: 'Triggered',
        sender_info: { email: 'ada@example.test', first_name: 'Ada', last_name: 'Payer' },
        ...(webhookUrl === undefined ? {} : { webhook_notification: { endpoint_url: webhookUrl } }),
      },
    }),
  )
  if (body.uuid === undefined) throw new ScenarioError(`The link was refused (HTTP ${status}): ${JSON.stringify(body)}`)
  return body.uuid
}

/** Sends JSON to an emulator. Throws `ScenarioError` with its reason if it refuses. */
export function send(origin: string, path: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  return ask(origin, path, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** Asks an emulator. Throws `ScenarioError` if nobody answers, or with the reason of a refusal. */
export async function ask(origin: string, path: string, init: Parameters<typeof fetch>[1] = {}): Promise<unknown> {
  const response = await fetch(`${origin}${path}`, init).catch(() => {
    throw new ScenarioError(`No emulator answers at ${origin}: start one with "sandbox".`)
  })
  const text = await response.text()
  if (!response.ok) throw new ScenarioError(`The emulator refused (HTTP ${response.status}): ${text.slice(0, 500)}`)
  return text === '' ? null : JSON.parse(text)
}
