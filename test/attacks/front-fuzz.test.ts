import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Scope } from '../../src/access/caller.ts'
import { newSeed, randomFrom } from '../faults/random.ts'
import { rounds } from '../faults/rounds.ts'
import { tell } from '../faults/tell.ts'
import { createCanaries } from '../privacy/canaries.ts'
import { PRODUCTION, SECRETS, startNetwork, type Network } from '../support/network.ts'
import { closeFrame, openRawPeer, textFrame } from '../support/raw-websocket.ts'
import { defaultAddress, deliver, paymentBody } from '../support/webhooks.ts'
import { ALLOWED_ORIGIN, randomFrames, randomRequest, type RequestAttack } from './random-attack.ts'

const BATCHES = rounds({ few: 20, many: 2_000 })
/** Attacks in flight at once. */
const AT_ONCE = 20
/** How long an answer is awaited where none must come, or after the first bytes of a stream. */
const PATIENCE_MS = 150
const ROUTER_SECRET = 'router-secret-of-the-tests-0123456789'

/** Allowed statuses. 503 means that a dependency is unreachable. */
const STATUSES = '100 200 204 206 302 304 400 401 403 404 405 406 408 413 414 415 416 417 426 429 431 503'.split(' ')
/** Allowed close codes of graphql-transport-ws, of WebSocket (RFC 6455) and of this server, which repeats those of a client. */
const CLOSE_CODES = new Set([
  1000, 1001, 1002, 1007, 1008, 1009, 1012, 1013, 3000, 4000, 4400, 4401, 4403, 4406, 4408, 4409, 4429,
])
/** Traces of the implementation: stacks, file paths, module names, and suggestions. */
const INSIDES = /\n\s+at |node_modules|file:\/\/|\/src\/|\.[cm]?[jt]s:\d|Did you mean/
const MOST_MESSAGE = 300

const canaries = createCanaries()
let network: Network
let tokens: string[]
beforeAll(async () => {
  const env = { ...PRODUCTION, ROUTER_SECRETS: ROUTER_SECRET, ALLOWED_ORIGINS: ALLOWED_ORIGIN }
  network = await startNetwork({ env, breaker: {} })
  // None of these may see payers.
  const scopes: readonly (readonly Scope[])[] = [[], ['payments:read', 'payouts:read'], ['payments:write']]
  tokens = await Promise.all(scopes.map((held) => network.token({ scopes: held })))
  tokens.push(await network.token({ ttlSeconds: -60 }), 'a.b.c')
  for (const [name, secret] of Object.entries({ ...SECRETS, router: ROUTER_SECRET })) canaries.learn(name, secret)
  for (const token of tokens.slice(0, -1)) canaries.learn('a token', token)
  for (const { id, secretKey } of network.sandbox.sites) canaries.learn(`secretKey of ${id}`, secretKey)
})
afterAll(() => network.close())

// promise(operations): Fuzzed requests, frames and webhooks are answered without a fault, and no answer or log line
// contains secrets, payers or traces of the implementation.
it('no client whatever breaks the server, or learns what it should not', async () => {
  const seed = newSeed()
  tell(`front: TEST_SEED=${seed}`)
  const random = randomFrom(seed)
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const all = Array.from({ length: AT_ONCE }, () =>
      random() < 0.2 ? overSocket(randomFrames(random, tokens)) : overHttp(randomRequest(random, tokens)),
    )
    const payer = { name: canaries.word('payer.name'), email: canaries.email('payer.email') }
    const honest = await deliver(defaultAddress(network), paymentBody(payer))
    expect({ seed, findings: (await Promise.all(all)).flat() }).toEqual({ seed, findings: [] })
    const asked = await network.ask('{ paymentCurrencies { code } }')
    expect([honest.status, asked.status]).toEqual([200, 200])
  }
  expect(canaries.foundIn(network.log())).toEqual([])
  expect(network.log()).not.toMatch(/"level":"(?:error|fatal)"|^\s+at /m)
})

/** Returns what is wrong with the answers to these bytes. */
async function overHttp({ bytes, whole }: RequestAttack): Promise<string[]> {
  const { hostname, port } = new URL(network.app.url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true }).on('error', () => {})
  await once(socket, 'connect')
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    if (chunk.includes('text/event-stream')) setTimeout(() => socket.destroy(), PATIENCE_MS)
  })
  socket.write(bytes)
  await (whole ? closed : Promise.race([closed, sleep(PATIENCE_MS)]))
  socket.destroy()
  const text = Buffer.concat(chunks).toString()
  const statuses = Array.from(text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm), ([, status = '']) => status)
  const strange = statuses.filter((status) => !STATUSES.includes(status))
  if (whole && statuses.length === 0) strange.push('none')
  return faultsIn(text, bytes.toString(), strange)
}

/** Returns what is wrong with the answers to these frames. */
async function overSocket(frames: readonly (string | Buffer)[]): Promise<string[]> {
  const told = frames.join('\n')
  const peer = await openRawPeer(network.app.url)
  const heard: string[] = []
  const listening = (async () => {
    for (;;) heard.push((await peer.next()).payload.toString())
  })().catch(() => {})
  for (const said of frames) peer.write(typeof said === 'string' ? textFrame(said) : said)
  await Promise.race([peer.closed, sleep(PATIENCE_MS)])
  peer.write(closeFrame(1000))
  const code = await peer.closed
  peer.connection.destroy()
  await listening
  return faultsIn(heard.join('\n'), told, code !== null && CLOSE_CODES.has(code) ? [] : [String(code)])
}

/** Returns what is wrong with a text that was answered to another one. */
function faultsIn(text: string, told: string, codes: readonly string[]): string[] {
  const messages = Array.from(
    text.matchAll(/"message":("(?:[^"\\]|\\.)*")/g),
    ([, json = '']) => JSON.parse(json) as string,
  )
  const found = [
    ...codes.map((code) => `the code ${code}`),
    ...(text.includes('"INTERNAL_SERVER_ERROR"') ? ['an internal error'] : []),
    ...messages.filter(({ length }) => length > MOST_MESSAGE).map(() => 'a long message'),
    ...messages.flatMap((message) => INSIDES.exec(message)?.[0] ?? []).filter((inside) => !isTold(inside, told)),
    ...canaries.foundIn(text),
  ]
  return found.map(
    (what) => `${what}: ${JSON.stringify(told.slice(0, 1_500))} is answered with ${text.slice(0, 1_500)}`,
  )
}

/** Returns whether the client sent this text: as it is, escaped as in JSON, or in the search of an address. */
function isTold(text: string, told: string): boolean {
  const search = new URLSearchParams({ text }).toString().slice('text='.length)
  return [text, JSON.stringify(text).slice(1, -1), search].some((sent) => told.includes(sent))
}
