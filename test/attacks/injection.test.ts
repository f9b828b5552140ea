import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rounds } from '../faults/rounds.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK, type CreatedLink } from '../support/operations.ts'
import { greetedSocket, type Message } from '../support/socket.ts'
import { startCanary, type Canary } from './canary.ts'
import { hostileTexts, MARK } from './corpus.ts'
import { textPlaces, type TextPlace } from './string-arguments.ts'

/** One of this many pairs of a place and a text is tried; every text and every place occurs. */
const ONE_OF = rounds({ few: 14, many: 1 })
const AT_ONCE = 8

let network: Network
let canary: Canary
let link: CreatedLink
let schemaBefore: unknown[]
beforeAll(async () => {
  canary = await startCanary()
  network = await startNetwork()
  link = await createLink(network, { reference: 'the-only-one' })
  schemaBefore = schemaOf()
})
afterAll(async () => {
  await network.close()
  canary.close()
})

const databasePath = () => join(network.folder, 'payments.db')

function inDatabase<Result>(read: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(databasePath(), { readOnly: true })
  try {
    return read(database)
  } finally {
    database.close()
  }
}

const schemaOf = () =>
  inDatabase((database) => database.prepare('SELECT type, name, sql FROM sqlite_master ORDER BY name').all())

type Pair = { readonly place: TextPlace; readonly text: string }
type Outcome = { readonly pair: Pair; readonly status: number; readonly codes: readonly unknown[] }

const pairs = (): Pair[] => {
  const texts = hostileTexts(canary.url)
  return textPlaces().flatMap((place, row) =>
    texts.flatMap((text, column) => ((row + column) % ONE_OF === 0 ? [{ place, text }] : [])),
  )
}

async function attempt(pair: Pair): Promise<Outcome> {
  const { place, text } = pair
  const variables = place.variables(text)
  if (place.kind === 'subscription') return { pair, status: 200, codes: await subscribeOnce(place.document, variables) }
  const { status, errors = [] } = await network.ask(place.document, variables)
  return { pair, status, codes: errors.map(({ extensions }) => extensions?.['code']) }
}

/** Returns the error codes in the first message of a subscription. */
async function subscribeOnce(query: string, variables: Record<string, unknown>): Promise<unknown[]> {
  const socket = await greetedSocket(network.app.url, { token: await network.token() })
  socket.send({ id: '1', type: 'subscribe', payload: { query, variables } })
  const message: Message = await socket.next()
  socket.close()
  const errors = message.type === 'error' ? message.payload : (message.payload as { errors?: unknown })?.errors
  return ((errors ?? []) as { extensions?: { code?: unknown } }[]).map(({ extensions }) => extensions?.code)
}

async function attemptAll(all: readonly Pair[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const left = all.values()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const pair of left) outcomes.push(await attempt(pair))
    }),
  )
  return outcomes
}

// promise(operations): Text in string arguments (SQL, CRLF, log lines, paths) stays text.
describe('a hostile text', () => {
  it(
    'has no effect in any argument that takes a text',
    async () => {
      const before = await network.ask(LINK, { id: link.id })
      const all = pairs()
      expect(new Set(all.map(({ place }) => place.name)).size).toBe(textPlaces().length)
      const outcomes = await attemptAll(all)
      await network.app.settle()

      const failed = outcomes.filter(({ status, codes }) => status >= 500 || codes.includes('INTERNAL_SERVER_ERROR'))
      expect(failed.map(({ pair }) => [pair.place.name, pair.text])).toEqual([])
      expect(outcomes.length).toBe(all.length)
      expect(await network.ask(LINK, { id: link.id })).toEqual(before)
      expect(schemaOf()).toEqual(schemaBefore)
      expect(inDatabase((database) => database.prepare('PRAGMA integrity_check').get())).toEqual({
        integrity_check: 'ok',
      })
      expect({}).not.toHaveProperty(MARK)
      expect({}).not.toHaveProperty('user_name')
      for (const path of [`/tmp/${MARK}`, join(network.folder, MARK), MARK]) expect(existsSync(path)).toBe(false)

      const lines = network
        .log()
        .split('\n')
        .filter((line) => line !== '')
      for (const line of lines)
        expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), msg: expect.any(String) })
      expect(network.log()).not.toContain(MARK)
      expect(network.log()).not.toContain('forged')

      expect(network.sandbox.control.calls().filter(({ path }) => !isOurs(path))).toEqual([])
      expect(canary.calls()).toBe(0)
      expect(canary.strays([network.app.url, network.sandbox.url])).toEqual([])
    },
    rounds({ few: 60_000, many: 600_000 }),
  )

  it('finds nothing but itself in a list', async () => {
    for (const text of hostileTexts(canary.url)) {
      const { data, status } = await network.ask<Record<string, { nodes: unknown[] } | null>>(
        `query Lists($text: String, $ids: [ID!]) {
          paymentLinks(filter: { reference: $text }) { nodes { id } }
          payments(filter: { reference: $text }) { nodes { id } }
          paymentEvents(filter: { linkIds: $ids }) { nodes { id } }
          payoutEvents: paymentEvents(filter: { payoutIds: $ids }) { nodes { id } }
          recordedPayouts(filter: { reference: $text }) { nodes { id } }
          webhookDeliveries(filter: { subjectIds: $ids }) { nodes { id } }
        }`,
        { text: `the-only-one${text}`, ids: [`${link.id}${text}`] },
      )
      expect(status).toBe(200)
      for (const [name, list] of Object.entries(data))
        expect([name, text, ...(list?.nodes ?? [])]).toEqual([name, text])
    }
  })
})

/** Returns whether the payments API has such a path: ids are one segment, of characters that need no escape. */
function isOurs(path: string): boolean {
  return /^\/api(?:\/[\w-]+)+$/.test(path) && !path.includes(MARK)
}
