/**
 * A payments API for benches, in a separate process: 40 payin methods, creation of links, and reads of links. It answers after LATENCY_MS
 * milliseconds. `GET /links` returns the created links: their ids, and the paths and Authorization of their webhooks.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'

export type MadeLink = { readonly id: string; readonly path: string; readonly authorization: string }

type LinkBody = {
  readonly amount: number
  readonly webhook_notification: { readonly endpoint_url: string; readonly authorization_header: string }
}

const KINDS = ['card', 'bank', 'ewallet', 'qr', 'eft']
const METHODS = 40
const METHOD_LIST = Array.from({ length: METHODS }, (_, index) => {
  const kind = KINDS[index % KINDS.length]
  return {
    currency: 'AUD',
    payin_method_code: `au_${kind}_v${index}_aud`,
    payin_method_name: `Payment by ${kind} ${index}`,
    min_amount: 1,
    max_amount: 100_000_000,
  }
})

const latencyMs = Number(process.env['LATENCY_MS'] ?? 0)
const links = new Map<string, LinkBody>()

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const answer = answerTo(`${request.method} ${request.url?.split('?')[0]}`, Buffer.concat(chunks).toString())
    const body = JSON.stringify(answer ?? { errors: { message: 'not found' } })
    const send = () =>
      response
        .writeHead(answer === null ? 404 : 200, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        })
        .end(body)
    if (latencyMs > 0) setTimeout(send, latencyMs)
    else send()
  })
})
server.keepAliveTimeout = 60_000
server.listen(Number(process.env['PORT']), '127.0.0.1')

function answerTo(route: string, body: string): unknown {
  if (route === 'GET /health/ready') return { status: 'ready' }
  if (route === 'GET /links') return [...links].map(([id, link]) => madeLink(id, link))
  if (route === 'GET /api/v3/payin_methods') return { records: METHOD_LIST }
  if (route === 'GET /api/v2/payins/payin_methods') return { records: [] }
  if (route === 'POST /api/v3/payin_links') return makeLink(JSON.parse(body) as LinkBody)
  const id = /^GET \/api\/v3\/payin_links\/([^/]+)$/.exec(route)?.[1] ?? ''
  const link = links.get(id)
  return link === undefined ? null : paymentOf(id, link)
}

function makeLink(link: LinkBody): unknown {
  const uuid = randomUUID()
  links.set(uuid, link)
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
  return { uuid, payment_url: `https://checkout.example.test/${uuid}`, expired_at: inAnHour }
}

function madeLink(id: string, { webhook_notification: notification }: LinkBody): MadeLink {
  return { id, path: new URL(notification.endpoint_url).pathname, authorization: notification.authorization_header }
}

/** Returns the answer of the payments API for an unused link. */
function paymentOf(uuid: string, { amount, webhook_notification: notification }: LinkBody): unknown {
  return { uuid, status: 'pending', currency: 'AUD', amount, webhook_notification: notification }
}
