import { randomUUID } from 'node:crypto'
import type { CallbackKind } from '../../src/keys/derived-secrets.ts'
import { fixtureText } from '../fixtures/upstream/read.ts'
import type { Network } from '../support/network.ts'
import { addressFor, honestHeaders, send, type Reply, type WebhookAddress } from '../support/webhooks.ts'
import { poisoned, type Canaries } from './canaries.ts'
import type { Storage } from './stored.ts'

const PATHS: Readonly<Record<string, readonly [path: string, kind: CallbackKind]>> = {
  link: ['payments', 'payment'],
  payin: ['payments', 'payment'],
  agreement: ['agreements', 'agreement'],
  payout: ['payouts', 'payout'],
  'gateway-payment': ['gateway-payments', 'gateway-payment'],
}
const BODIES = ['payment-flat-authorised', 'payment-flat-failed', 'payment-flat-refunded', 'link-nested-newer'] as const
const OTHERS = ['link-nested-older', 'agreement-created', 'agreement-amended', 'payout', 'gateway-payment'] as const

/** Returns the webhook URL of the latest correlation id of every kind, as stored in the database. */
async function addressesOf(network: Network, storage: Storage): Promise<WebhookAddress[]> {
  const rows = await storage.rows(network, 'SELECT ref, kind FROM command_refs')
  const last = new Map(rows.map(({ ref, kind }) => [String(kind), String(ref)]))
  return [...last].flatMap(([kind, ref]) => {
    const [path, callback] = PATHS[kind] ?? []
    return path === undefined ? [] : [addressFor(`${network.app.url}/webhooks/${path}/${ref}`, callback)]
  })
}

/** Sends valid, unreadable, forged and non-JSON bodies to every webhook endpoint. Returns the replies. */
export async function deliverEverything(network: Network, storage: Storage, canaries: Canaries): Promise<Reply[]> {
  const word = (place: string) => canaries.word(`callback.${place}`)
  const replies: Reply[] = []
  for (const { url, authorization } of await addressesOf(network, storage)) {
    canaries.learn('secret of an address', authorization.split('.').at(-1) ?? authorization)
    const echoed = { webhook_notification: { endpoint_url: url, authorization_header: authorization } }
    const known = [...BODIES, ...OTHERS].map((name) => JSON.parse(fixtureText(name)) as Record<string, never>)
    const unknown = { [word('a key')]: { [word('a key')]: [word('of a key')] } }
    const bodies = known.map((body): object => {
      const about = poisoned(canaries, 'callback', Object.assign(body, idsOf(body)))
      return Object.assign({}, about, echoed, unknown)
    })
    const honest = [
      ...bodies.map((body) => JSON.stringify(body)),
      JSON.stringify({ ...bodies[0], uuid: randomUUID(), status: `a ${word('status')} of ours` }),
      JSON.stringify({ ...bodies[0], uuid: `not an id: ${word('uuid')}` }),
      JSON.stringify({ [word('a key')]: word('of a key'), token: { id: word('token.id') } }),
      `${word('no JSON')} ${authorization}`,
    ]
    for (const body of honest) replies.push(await send(url, { headers: honestHeaders(body, authorization), body }))
    const body = honest[0] ?? ''
    const forged = { 'content-type': 'application/json', 'x-other': word('header') }
    const attempts = [
      { ...forged, authorization: `Bearer ${word('authorization')}`, 'http-webhook-signature': word('signature') },
      { ...forged, authorization, 'http-webhook-signature': word('signature') },
      { ...honestHeaders(body, authorization), 'content-type': `text/${word('type')}` },
      { ...honestHeaders(body, authorization), 'content-encoding': word('encoding') },
    ]
    for (const headers of attempts) replies.push(await send(url, { headers, body }))
  }
  return replies
}

/** Returns a new id for a body, so that it reports an unknown object. */
function idsOf(body: object): Record<string, string> {
  return 'uuid' in body ? { uuid: randomUUID() } : {}
}
