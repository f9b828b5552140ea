import { setTimeout as sleep } from 'node:timers/promises'
import { ALL_SCOPES } from '../../src/access/caller.ts'
import { issueDevelopmentToken } from '../../src/access/issue-token.ts'
import { Secret } from '../../src/keys/key-ring.ts'
import { SECRETS, type Answer } from '../support/network.ts'
import { openStream, type Stream } from '../support/stream.ts'
import { EVENT_STREAM, isCaughtUp } from '../support/streams.ts'

/** Issues a token with every scope, for a program with the tests' keys. */
export function developerToken(): Promise<string> {
  return issueDevelopmentToken(new Secret(SECRETS.jwt), { scopes: ALL_SCOPES, subject: 'tester', ttlSeconds: 600 })
}

type Told<Data> = Answer<Data> & { readonly retryAfter: string | null }

/** Sends an operation over HTTP; repeats it while the program answers 503, since the machine may have other work. */
export async function ask<Data = Record<string, unknown>>(
  url: string,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<Told<Data>> {
  for (;;) {
    const answer = await askOnce<Data>(url, query, variables)
    if (answer.status !== 503) return answer
    await sleep(250)
  }
}

/** Sends an operation over HTTP to a program in another process. */
export async function askOnce<Data = Record<string, unknown>>(
  url: string,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<Told<Data>> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${await developerToken()}` },
    body: JSON.stringify({ query, variables }),
  })
  const answer = (await response.json()) as { data: Data }
  return { status: response.status, retryAfter: response.headers.get('retry-after'), ...answer }
}

/** How often a stream is opened before its rejection counts. */
const TRIES = 20

/** Opens a stream of the whole log and waits until it has caught up; retries while the program or the machine is overloaded. */
export async function followLog(url: string, after?: string): Promise<Stream> {
  const token = await developerToken()
  for (let attempt = 1; ; attempt++) {
    const stream = openStream(url, { query: EVENT_STREAM, variables: { after } }, { token })
    try {
      await stream.until(isCaughtUp)
      return stream
    } catch (error) {
      if (attempt === TRIES) throw error
      await sleep(250)
    }
  }
}

type Deliveries = { webhookDeliveries: { nodes: { subjectId: string }[] } }

const DELIVERIES = `query Deliveries($filter: PaymentWebhookDeliveryFilter) {
  webhookDeliveries(first: 100, filter: $filter) { nodes { subjectId } }
}`

/** Returns which of these payments have a recorded webhook, sorted. */
export async function knownPayments(url: string, subjectIds: readonly string[]): Promise<string[]> {
  const { data } = await ask<Deliveries>(url, DELIVERIES, { filter: { subjectIds } })
  return data.webhookDeliveries.nodes.map(({ subjectId }) => subjectId).toSorted()
}
