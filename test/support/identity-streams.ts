import { meros } from 'meros/browser'
import { eventClient } from './events.ts'
import type { Network } from './network.ts'

/** An item of `paymentContactUpdates`; null when the stream has ended. */
export type IdentityItem = {
  readonly kind: string
  readonly identityStatus: string
  readonly results: number
} | null

type Result = { readonly data?: { readonly paymentContactUpdates?: IdentityItem } | null; readonly errors?: unknown }

/** Returns the next item, and ends the stream. */
export type IdentityStream = { next(): Promise<IdentityItem>; end(): Promise<unknown> }

export const CONTACT_UPDATES = `subscription ContactUpdates($email: String!, $currency: CurrencyCode, $site: ID) {
  paymentContactUpdates(email: $email, currency: $currency, site: $site) { kind identityStatus results readAt }
}`

type Variables = Readonly<Record<string, unknown>>

/** How the state of an identity check is followed over each transport. */
export const IDENTITY_STREAMS: readonly (readonly [
  name: string,
  open: (network: Network, variables: Variables) => Promise<IdentityStream>,
])[] = [
  ['WebSocket', overSocket],
  ['server-sent events', overEvents],
  ['multipart', overMultipart],
]

async function overSocket(network: Network, variables: Variables): Promise<IdentityStream> {
  const stream = await network.follow(CONTACT_UPDATES, { ...variables })
  return { next: async () => (await stream.next()) as unknown as IdentityItem, end: () => stream.end() }
}

async function overEvents(network: Network, variables: Variables): Promise<IdentityStream> {
  const authorization = `Bearer ${await network.token()}`
  const client = eventClient(network.app.url, async () => ({ authorization }))
  const items = client.iterate<Result['data']>({ query: CONTACT_UPDATES, variables: { ...variables } })
  return streamOf(items as AsyncIterator<Result>, async () => client.dispose())
}

async function overMultipart(network: Network, variables: Variables): Promise<IdentityStream> {
  const control = new AbortController()
  const response = await fetch(`${network.app.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'multipart/mixed;subscriptionSpec=1.0',
      authorization: `Bearer ${await network.token()}`,
    },
    body: JSON.stringify({ query: CONTACT_UPDATES, variables }),
    signal: control.signal,
  })
  const parts = await meros<{ readonly payload?: Result }>(response)
  if (!(Symbol.asyncIterator in parts)) throw new Error('The response has no parts.')
  async function* payloads() {
    for await (const part of parts as AsyncIterable<{ readonly body: { readonly payload?: Result } }>)
      if (part.body.payload !== undefined) yield part.body.payload
  }
  return streamOf(payloads(), async () => control.abort())
}

function streamOf(items: AsyncIterator<Result>, end: () => Promise<unknown>): IdentityStream {
  return {
    async next() {
      const { value, done } = await items.next()
      if (done === true) return null
      if (value.errors !== undefined) throw new Error(JSON.stringify(value.errors))
      return value.data?.paymentContactUpdates ?? null
    },
    end,
  }
}
