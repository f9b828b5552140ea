import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { honestHeaders, paymentBody } from '../../support/webhooks.ts'
import { WEBHOOK_SECRET, type FuzzedServer } from './fuzzed-server.ts'

export type Honest = {
  readonly what: string
  /** The status of the last answer; 0 for none. */
  readonly status: number
  readonly body: string
  /** How long the slowest attempt took, in milliseconds. */
  readonly took: number
}

export type Witness = {
  /** Requests without a 200 in the end; the caller empties the list. */
  readonly failed: Honest[]
  /** How long the slowest attempt of each request took, in milliseconds. */
  readonly took: number[]
  /** Sends one round of requests; resolves when all are answered. */
  round(): Promise<void>
}

/** Another address than that of the attackers. */
const ADDRESS = { localAddress: '127.0.0.2', headers: { 'x-forwarded-for': '198.51.100.7' } }
/** A request is repeated until it is answered with 200, this many times in all, with a pause in milliseconds between. */
const TRIES = 4
const PAUSE_MS = 400
const GIVE_UP_MS = 60_000
const QUESTION = JSON.stringify({ query: '{ paymentCurrencies { code } }' })

/** Creates an honest client: in each round it sends a signed webhook, both health probes and a query. */
export function startWitness(server: FuzzedServer): Witness {
  const failed: Honest[] = []
  const took: number[] = []
  const ask = async (what: string, attempt: () => Attempt): Promise<void> => {
    const honest = await answered(what, server, attempt)
    took.push(honest.took)
    if (honest.status !== 200) failed.push(honest)
  }
  return {
    failed,
    took,
    async round() {
      await Promise.all([
        ask('a signed webhook', () => webhook(server)),
        ask('the probe of life', () => ({ path: '/health/live', method: 'GET' })),
        ask('the probe of readiness', () => ({ path: '/health/ready', method: 'GET' })),
        ask('a question', () => question(server.tokens.all)),
      ])
    },
  }
}

type Attempt = {
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

async function answered(what: string, server: FuzzedServer, attempt: () => Attempt): Promise<Honest> {
  let slowest = 0
  for (let round = 1; ; round += 1) {
    const { status, body, took } = await once(server.url, attempt())
    slowest = Math.max(slowest, took)
    if (status === 200 || round === TRIES) return { what, status, body, took: slowest }
    await sleep(PAUSE_MS)
  }
}

function once(url: string, { path, method, headers, body = '' }: Attempt): Promise<Omit<Honest, 'what'>> {
  const begun = performance.now()
  return new Promise((resolve) => {
    const done = (status: number, text: string) => resolve({ status, body: text, took: performance.now() - begun })
    const outgoing = request(
      `${url}${path}`,
      { method, agent: false, ...ADDRESS, headers: { ...ADDRESS.headers, ...headers }, timeout: GIVE_UP_MS },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => (text += part))
        response.on('end', () => done(response.statusCode ?? 0, text)).on('error', () => done(0, ''))
      },
    )
    outgoing.on('timeout', () => outgoing.destroy()).on('error', () => done(0, ''))
    outgoing.end(body)
  })
}

function webhook({ canaries }: FuzzedServer): Attempt {
  const body = paymentBody({ name: canaries.word('payer.name'), email: canaries.email('payer.email') })
  const headers = {
    ...honestHeaders(body, undefined, WEBHOOK_SECRET),
    'content-length': String(Buffer.byteLength(body)),
  }
  return { path: '/webhooks/payments', method: 'POST', headers, body }
}

function question(token: string): Attempt {
  const headers = {
    'content-type': 'application/json',
    'content-length': String(QUESTION.length),
    authorization: `Bearer ${token}`,
  }
  return { path: '/graphql', method: 'POST', headers, body: QUESTION }
}
