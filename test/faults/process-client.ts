import { setTimeout as sleep } from 'node:timers/promises'
import { issueDevelopmentToken } from '../../src/access/issue-token.ts'
import { ALL_SCOPES } from '../../src/access/scopes.ts'
import { Secret } from '../../src/keys/secret.ts'
import { SECRETS, type Answer } from '../support/network.ts'
import { openStream, type Stream } from '../support/stream.ts'
import { EVENT_STREAM, isCaughtUp } from '../support/streams.ts'

/** A token with every scope, as a program with the keys of the tests expects it. */
export function developerToken(): Promise<string> {
  return issueDevelopmentToken(new Secret(SECRETS.jwt), { scopes: ALL_SCOPES, subject: 'tester', ttlSeconds: 600 })
}

type Told<Data> = Answer<Data> & { readonly retryAfter: string | null }

/** One operation over HTTP, again as long as the program says that it has too much to do: the machine has other work. */
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

/** One operation over HTTP, of a program that runs in a process of its own. */
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

/** How often a stream is opened before its refusal counts. */
const TRIES = 20

/** A stream of the whole log that has caught up; opened again while the program, or the machine, has too much to do. */
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

const DELIVERIES = `query Deliveries($filter: WebhookDeliveryFilter) {
  webhookDeliveries(first: 100, filter: $filter) { nodes { subjectId } }
}`

/** Which of some payments have a recorded webhook, in order. */
export async function knownPayments(url: string, subjectIds: readonly string[]): Promise<string[]> {
  const { data } = await ask<Deliveries>(url, DELIVERIES, { filter: { subjectIds } })
  return data.webhookDeliveries.nodes.map(({ subjectId }) => subjectId).toSorted()
}
