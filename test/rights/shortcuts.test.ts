import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { entityTag } from '../../src/http/graphql/graphql-response.ts'
import { casesOf } from '../faults/rounds.ts'
import { settle } from '../support/deliveries.ts'
import { greetedSocket } from '../support/socket.ts'
import { entities, mutations, queries, streams, type Ask } from './asks.ts'
import { CALLERS, seesEverything, throughRouter, type CallerKind } from './callers.ts'
import { PACE_MS, startWorld, type Fixture } from './fixture.ts'
import { operationFor } from './matrix.ts'
import { headersOf, tokenOf, type Operation } from './transports.ts'

/** Longer than all steps of a payment or a refund in the sandbox, in seconds. */
const STEPS_S = (5 * PACE_MS) / 1_000

const EVERYTHING = CALLERS.filter(seesEverything)

/** Callers that request every field: in a full run every kind, in every other one a tenth of them. */
const ASKING = [
  ...EVERYTHING,
  ...casesOf(
    'who requests every field',
    CALLERS.filter((caller) => !seesEverything(caller)),
    4,
  ),
]

/** The same callers through the router, who request entities. */
const REFERRING = ASKING.map(throughRouter)

/** An operation of one caller. */
type Sent = { readonly what: string; readonly caller: CallerKind; readonly kind: string; readonly operation: Operation }

/** The replies, in the order of the operations. */
type Replies = { readonly sent: Sent; readonly replies: readonly unknown[] }[]

let fixture: Fixture
let quick: Replies
let slow: Replies
beforeAll(async () => {
  const now = new Date()
  fixture = await startWorld({ clock: () => now })
  const [changes, reads] = divided(allSent(), ({ kind }) => kind === 'mutation')
  // All mutations are executed here; later ones are repeats.
  await answersTo(changes.filter(({ caller }) => seesEverything(caller)))
  // Runs the sandbox's pending steps, so that none of them happens between the two modes.
  await fixture.network.sandbox.control.advance(STEPS_S)
  await restartWith('all')
  const quickReads = await answersTo(reads)
  await restartWith('none')
  slow = [...(await answersTo(reads)), ...(await answersTo(changes))]
  await restartWith('all')
  quick = [...quickReads, ...(await answersTo(changes))]
})
afterAll(() => fixture.network.close())

// promise(sockets): Cached responses and shared executions (`SHORTCUTS`) return the same bytes as separate ones, for
// every caller.
describe('an operation that takes shortcuts', () => {
  it('has the same answer, to the byte, as one that is executed by itself', () => {
    const textOf = ({ replies }: Replies[number]) => JSON.stringify(replies)
    const different = quick.flatMap((one, index) => {
      const [fast, plain] = [textOf(one), textOf(slow[index] ?? { ...one, replies: [] })]
      return fast === plain
        ? []
        : [{ what: one.sent.what, caller: one.sent.caller.name, ...partsThatDiffer(fast, plain) }]
    })
    expect(different).toEqual([])
  })

  it('is every field as each of the callers', () => {
    const kinds = Map.groupBy(quick, ({ sent: { kind } }) => kind)
    expect(kinds.get('query')?.length).toBeGreaterThan(60 * ASKING.length)
    expect(kinds.get('mutation')?.length).toBeGreaterThan(15 * ASKING.length)
    expect(kinds.get('subscription')?.length).toBeGreaterThan(5 * ASKING.length)
  })
})

/** Returns the first difference of two texts with its surroundings. */
function partsThatDiffer(fast: string, plain: string) {
  let at = 0
  while (at < fast.length && fast[at] === plain[at]) at += 1
  const around = (text: string) => text.slice(Math.max(0, at - 100), at + 100)
  return { fast: around(fast), plain: around(plain) }
}

/** Reads and deliveries that a start continues can append events: they must be done before the first request. */
async function restartWith(shortcuts: 'all' | 'none'): Promise<void> {
  await settle(fixture.network)
  await fixture.network.restart(undefined, { SHORTCUTS: shortcuts })
  await settle(fixture.network)
}

function allSent(): readonly Sent[] {
  const asks = [...queries(fixture), ...mutations(fixture), ...streams(fixture)]
  const byCaller = (callers: readonly CallerKind[], ask: Ask) =>
    callers.map((caller): Sent => {
      const kind = (ask.coordinate.split('.')[0] ?? '').toLowerCase()
      return { what: ask.coordinate, caller, kind, operation: operationFor(ask, caller) }
    })
  return [
    ...asks.flatMap((ask) => byCaller(ASKING, ask)),
    ...entities(fixture).flatMap((ask) => byCaller(REFERRING, ask)),
    // Whether a refresh gets one of the site's reads depends on what was read in that second; each replay of several is another.
  ].filter(({ operation }) => !/refreshPayment|replayWebhookDeliveries|webhookReplay/.test(operation.query ?? ''))
}

function divided(all: readonly Sent[], belongs: (sent: Sent) => boolean): [Sent[], Sent[]] {
  return [all.filter(belongs), all.filter((one) => !belongs(one))]
}

/** Sends all operations: those of one caller in order, all callers concurrently. */
async function answersTo(sent: readonly Sent[]): Promise<Replies> {
  const replies = new Map<Sent, readonly unknown[]>()
  const byCaller = Map.groupBy(sent, ({ caller }) => caller)
  await Promise.all(
    Array.from(byCaller, async ([caller, own]) => {
      const token = await tokenOf(fixture.network, caller)
      for (const one of own)
        replies.set(one, one.kind === 'subscription' ? await followed(one, token) : [await asked(one, token)])
    }),
  )
  return sent.map((one) => ({ sent: one, replies: replies.get(one) ?? [] }))
}

type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | null>>
  readonly body: string
}

/** Headers to compare. */
const HEADERS = ['content-type', 'cache-control', 'vary', 'etag', 'www-authenticate', 'allow']

/**
 * Returns the answer over HTTP. A public one is computed, then computed and stored, then returned from the cache: it must be equal each
 * time.
 */
async function asked(sent: Sent, token: string | null): Promise<Reply> {
  const first = await post(sent, token)
  const isPublic = first.headers['cache-control']?.startsWith('public') === true
  for (let time = 1; isPublic && time < 3; time += 1) expect(await post(sent, token)).toEqual(first)
  return lasting(first)
}

async function post({ caller, operation }: Sent, token: string | null): Promise<Reply> {
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` }
  const headers = { ...headersOf(caller), ...authorization, 'content-type': 'application/json' }
  return replyOf(
    await fetch(`${fixture.network.app.url}/graphql`, { method: 'POST', headers, body: JSON.stringify(operation) }),
  )
}

async function replyOf(response: Response): Promise<Reply> {
  const headers = Object.fromEntries(HEADERS.map((name) => [name, response.headers.get(name)]))
  return { status: response.status, headers, body: await response.text() }
}

/** Values that differ between processes: when the payments API was called, the open connections, and the disk. */
const PASSING =
  /"(fetchedAt|methodsFetchedAt|lastAnswerAt|availability|calls|streams|disk)":(?:"[^"]*"|null|\{[^{}]*\})/g

/** Each request to erase payers is recorded under a number of its own. */
const ERASURE = /(?<="erasure":\{(?:"__typename":"PayerErasure",)?"id":)"\d+"/g

/** What a request to import began, or found running: the same terms begin another one once it is done. It holds objects of three levels. */
const IMPORT = /(?<="__typename":"ImportPaymentsSuccess")(?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*/g

/** How far an import is that runs meanwhile. */
const PROGRESS = /(?<="(?:state|progress|doneAt)":)(?:"RUNNING"|"DONE"|\d+|null|"\d{4}-[^"]*")/g

/** Each address for an upload or a download is sealed with a nonce of its own. */
const GRANT = /(?<=(?:identity-documents|payments-export)\?grant=)[\w.-]+/g

/** Returns a reply without these values. Its ETag must be that of its body, with the name of the coding in which it was sent. */
function lasting({ status, headers, body }: Reply): Reply {
  const tag = headers['etag']?.replace(/-(?:br|gzip)"$/, '"') ?? null
  if (tag !== null) expect(tag).toBe(entityTag(body))
  return {
    status,
    headers: { ...headers, etag: null },
    body: body
      .replaceAll(PASSING, '"$1":0')
      .replaceAll(ERASURE, '0')
      .replaceAll(IMPORT, '0')
      .replaceAll(PROGRESS, '0')
      .replaceAll(GRANT, '0'),
  }
}

/** Returns the messages of two equal subscriptions on one socket until both are live; they must be equal. */
async function followed({ caller, operation }: Sent, token: string | null): Promise<readonly string[]> {
  const credentials = token === null ? {} : { authorization: `Bearer ${token}` }
  const socket = await greetedSocket(fixture.network.app.url, credentials, { headers: headersOf(caller) })
  const told: Readonly<Record<string, string[]>> = { a: [], b: [] }
  for (const id of Object.keys(told)) socket.send({ id, type: 'subscribe', payload: operation })
  const open = new Set(Object.keys(told))
  while (open.size > 0) {
    const { id = '', type, payload } = await socket.next()
    if (!open.has(id)) continue
    const text = `${type} ${JSON.stringify(payload)}`
    told[id]?.push(text)
    if (type !== 'next' || text.includes('"CAUGHT_UP"') || !hasReplay(operation)) open.delete(id)
  }
  socket.close()
  expect(told['b']).toEqual(told['a'])
  return told['a'] ?? []
}

/** Returns whether a stream tells when it is live. */
function hasReplay({ query }: Operation): boolean {
  return query.includes('kind')
}
