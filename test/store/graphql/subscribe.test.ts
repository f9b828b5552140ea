import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Caller, type Scope } from '../../../src/access/caller.ts'
import type { Engine, EngineOptions } from '../../../src/graphql/engine/engine.ts'
import { type AnswerStream, nextOf } from '../../../src/graphql/engine/request-outcome.ts'
import { issueStatusToken } from '../../../src/keys/derived-secrets.ts'
import type { FollowServices } from '../../../src/streams/follow.ts'
import { append, openStore, tailOf, turns } from '../streams/log.ts'
import { engineOf, nextText, streamServices } from './streams.ts'

const HOUR = 3_600_000
const READER = client(['payments:read'])

function client(scopes: readonly Scope[], expiresAt = Date.now() + HOUR): Caller {
  return { kind: 'client', subject: null, identity: null, scopes: new Set(scopes), expiresAt }
}

const ITEM = '{ kind previousCursor payment { id statusRaw payer { name } } }'
const PAYMENT = `subscription ($id: ID!, $statusToken: String, $after: String) {
  paymentUpdates(id: $id, statusToken: $statusToken, after: $after) ${ITEM} }`

async function setUp(parts: Partial<FollowServices> = {}, options: Partial<EngineOptions> = {}) {
  const store = await openStore()
  await append(store)
  const services = streamServices(store, await tailOf(store), parts)
  const engine = engineOf(services, options)
  return { store, services, engine }
}

async function open(engine: Engine, caller: Caller, variables: Record<string, unknown> = {}): Promise<AnswerStream> {
  const outcome = await engine.run(
    { query: PAYMENT, variables: { id: 'P0', ...variables } },
    { caller, fromRouter: true },
  )
  if (outcome.kind !== 'stream') throw new Error(`It was refused: ${JSON.stringify(outcome)}`)
  return outcome
}

async function caughtUp(stream: AnswerStream): Promise<AnswerStream> {
  while (!(await nextText(stream))?.includes('CAUGHT_UP'));
  return stream
}

describe('streams of equal rights', () => {
  it('have one answer to an item, whoever their callers are', async () => {
    const { store, engine } = await setUp()
    const own: Caller = { ...READER, subject: 'ada', identity: 'one' } as Caller
    const streams = [await open(engine, READER), await open(engine, own, { after: null })]
    await Promise.all(streams.map(caughtUp))
    const next = Promise.all(streams.map(nextOf))
    await append(store)
    const [one, other] = await next
    expect(one).toMatchObject({ json: expect.stringContaining('"kind":"EVENT"') })
    expect(one).toBe(other)
  })

  it('have their own previous cursor in the answer to one item', async () => {
    const { store, services, engine } = await setUp()
    const early = await caughtUp(await open(engine, READER))
    await append(store, 'P1')
    const late = await caughtUp(await open(engine, READER))
    const next = Promise.all([nextText(early), nextText(late)])
    await append(store)
    expect((await next).map((text) => JSON.parse(text ?? '').data.paymentUpdates.previousCursor)).toEqual(
      [1, 2].map((position) => services.cursors.encode('log', position)),
    )
  })
})

describe('a subscription', () => {
  it('ends at once while its next answer is waited for, and has no more', async () => {
    const { services, engine } = await setUp()
    const stream = await caughtUp(await open(engine, READER))
    const waiting = nextOf(stream)
    await turns(2)
    stream.stop()
    expect(await waiting).toBe('complete')
    expect(await nextOf(stream)).toBe('complete')
    expect(services.tail.listeners).toBe(0)
  })

  it('is interrupted when its source fails', async () => {
    const { store, services } = await setUp()
    const log = { ...store.log, head: () => Promise.reject(new Error('The disk is away.')) }
    const engine = engineOf({ ...services, store: { ...store, log } })
    const stream = await open(engine, READER, { after: services.cursors.encode('log', 0) })
    expect(await nextOf(stream)).toBe('interrupted')
    expect(await nextOf(stream)).toBe('complete')
  })

  it('goes on by its status token with lesser rights once the token of its caller has expired', async () => {
    const { store, services, engine } = await setUp()
    const statusToken = issueStatusToken(services.keys, { subjectId: 'P0', expiresAt: new Date(Date.now() + HOUR) })
    const expiresAt = Date.now() + HOUR / 2
    const stream = await caughtUp(await open(engine, client(['payments:pii'], expiresAt), { statusToken }))
    const before = nextText(stream)
    await append(store)
    expect(await before).not.toContain('"errors"')
    vi.useFakeTimers({ toFake: ['Date'], now: expiresAt })
    onTestFinished(() => void vi.useRealTimers())
    const after = nextText(stream)
    await append(store)
    expect(await after).toContain('UNAUTHENTICATED')
  })
})
