import { describe, expect, it } from 'vitest'
import { errorOf, PaymentsClientError, type PaymentsClientErrorOptions, renewalMs } from '../src/client-errors.ts'
import {
  backoffMs,
  NO_ATTEMPTS,
  nextStep,
  type Attempts,
  type Circumstances,
} from '../src/connection/connection-attempt.ts'
import type { ConnectionEnd } from '../src/connection/connection.ts'
import { createReader } from '../src/connection/item-reader.ts'
import { timingOf } from '../src/connection/timing.ts'
import { createEventParser } from '../src/connection/transports/server-sent-events.ts'
import type { PaymentUpdate, StreamItem } from '../src/updates.ts'

const end = (kind: ConnectionEnd['kind'], code = 'NETWORK', more: PaymentsClientErrorOptions = {}): ConnectionEnd => ({
  kind,
  error: new PaymentsClientError(code, 'a test', more),
})
const usual: Circumstances = {
  transports: 3,
  timing: timingOf({}),
  isFruitful: false,
  isNew: false,
  mayRenew: true,
  random: 1,
}
const first = { ...usual, isNew: true }
const fruitful = { ...usual, isFruitful: true }
const before = (over: Partial<Attempts>): Attempts => ({ ...NO_ATTEMPTS, ...over })

describe('what is done after a line has ended', () => {
  it.each<[string, ReturnType<typeof nextStep>, unknown]>([
    ['the first break', nextStep(NO_ATTEMPTS, end('lost'), fruitful), { waitMs: 500, connection: 'reconnecting' }],
    ['the third', nextStep(before({ failures: 2 }), end('lost'), usual), { waitMs: 2_000 }],
    ['a break after success', nextStep(before({ failures: 9 }), end('lost'), fruitful), { waitMs: 500 }],
    ['the fiftieth', nextStep(before({ failures: 49 }), end('lost'), usual), { waitMs: 30_000 }],
    ['a restart', nextStep(NO_ATTEMPTS, end('restarting'), { ...fruitful, random: 0 }), { waitMs: 0 }],
    ['another restart', nextStep(before({ failures: 1 }), end('restarting'), usual), { waitMs: 1_000 }],
    [
      'a server that asks to wait',
      nextStep(before({ transport: 1 }), end('lost', 'OVERLOADED', { retryAfterMs: 5_000 }), usual),
      { waitMs: 7_500, attempts: { transport: 0 } },
    ],
    ...[86_400_000, 1e15].map((retryAfterMs): [string, ReturnType<typeof nextStep>, unknown] => [
      `a server that asks to wait for ${retryAfterMs} ms`,
      nextStep(NO_ATTEMPTS, end('lost', 'OVERLOADED', { retryAfterMs }), usual),
      { waitMs: 450_000 },
    ]),
    ...['soon', Number.NaN, -1, Infinity].map((retryAfterMs): [string, ReturnType<typeof nextStep>, unknown] => [
      `a server whose wait is ${retryAfterMs}`,
      nextStep(
        before({ failures: 1 }),
        { kind: 'lost', error: errorOf([{ message: '', extensions: { code: 'OVERLOADED', retryAfterMs } }]) },
        usual,
      ),
      { waitMs: 1_000 },
    ]),
    [
      'a way that does not work',
      nextStep(NO_ATTEMPTS, end('unopened'), usual),
      { waitMs: 0, attempts: { transport: 1 } },
    ],
    [
      'the last way',
      nextStep(before({ transport: 2 }), end('unopened'), usual),
      { waitMs: 500, connection: 'offline', attempts: { transport: 0 } },
    ],
    [
      'the last way, before any has worked',
      nextStep(before({ transport: 2 }), end('unopened'), first),
      { waitMs: 500, attempts: { transport: 2, failures: 1 } },
    ],
    [
      'the last way, before any has worked, which needs a cursor',
      nextStep(before({ transport: 2 }), end('unopened', 'UNSUPPORTED'), first),
      { waitMs: 500, attempts: { transport: 0 } },
    ],
    ...[200, 404].map((status): [string, ReturnType<typeof nextStep>, unknown] => [
      `something else than the graph, with ${status}`,
      nextStep(before({ transport: 2 }), end('unopened', 'BAD_RESPONSE', { status, retryable: false }), first),
      { fail: { status } },
    ]),
    [
      'something else than the graph, after it has worked',
      nextStep(before({ transport: 2 }), end('unopened', 'BAD_RESPONSE', { status: 404, retryable: false }), usual),
      { waitMs: 500, attempts: { transport: 0 } },
    ],
    [
      'a third fruitless line',
      nextStep(before({ fruitless: 2 }), end('lost'), usual),
      { attempts: { transport: 1, fruitless: 0 } },
    ],
    [
      'a stream that made room for another one, whatever it has carried',
      nextStep(before({ failures: 2, fruitless: 1 }), end('lost', 'TOO_MANY_OPERATIONS'), fruitful),
      { waitMs: 2_000, attempts: { transport: 0, fruitless: 2 } },
    ],
    [
      'a third such stream',
      nextStep(before({ failures: 3, fruitless: 2 }), end('lost', 'TOO_MANY_OPERATIONS'), fruitful),
      { attempts: { transport: 1 } },
    ],
    [
      'a better way',
      nextStep(before({ transport: 2 }), { kind: 'better', transport: 0 }, usual),
      { waitMs: 0, connection: null, attempts: { transport: 0 } },
    ],
    ['a gap', nextStep(NO_ATTEMPTS, { kind: 'gap' }, usual), { waitMs: 0, connection: null }],
    ['a gap again and again', nextStep(before({ failures: 1 }), { kind: 'gap' }, usual), { waitMs: 1_000 }],
    [
      'a refused token',
      nextStep(NO_ATTEMPTS, end('refused', 'UNAUTHENTICATED'), usual),
      { waitMs: 0, attempts: { refusals: 1 } },
    ],
    [
      'another one',
      nextStep(before({ refusals: 1 }), end('refused', 'UNAUTHENTICATED'), usual),
      { fail: { code: 'UNAUTHENTICATED' } },
    ],
    [
      'one that was good before',
      nextStep(before({ refusals: 1 }), end('refused', 'UNAUTHENTICATED'), fruitful),
      { waitMs: 0 },
    ],
    [
      'the only one',
      nextStep(NO_ATTEMPTS, end('refused', 'UNAUTHENTICATED'), { ...fruitful, mayRenew: false }),
      { fail: { code: 'UNAUTHENTICATED' } },
    ],
    ['no such link', nextStep(NO_ATTEMPTS, end('refused', 'NOT_FOUND'), fruitful), { fail: { code: 'NOT_FOUND' } }],
  ])('%s', (_what, step, expected) => expect(step).toMatchObject(expected as object))

  it('tries are spread over the upper half of their time', () => {
    const { timing } = usual
    expect([0, 0.5, 1].map((random) => backoffMs(2, { timing, random }))).toEqual([500, 750, 1_000])
  })
})

const item = (over: Partial<StreamItem>): StreamItem => ({
  kind: 'EVENT',
  cursor: '',
  previousCursor: null,
  event: null,
  link: null,
  payment: null,
  ...over,
})
const event = (sequence: number, cursor: string, previousCursor: string | null) =>
  item({
    cursor,
    previousCursor,
    event: {
      id: cursor,
      kind: 'PAYMENT_STATUS_CHANGED',
      sequence,
      cursor,
      receivedAt: '2026-11-22T00:00:00.000Z',
      source: 'WEBHOOK',
      fromStatus: null,
      toStatus: null,
    },
  })

describe('of what a stream tells', () => {
  const read = (items: readonly StreamItem[], after: string | null = null) => {
    const told: PaymentUpdate[] = []
    const reader = createReader({ isOneStream: true }, after, (update) => told.push(update))
    const verdicts = items.map((one) => reader.take(one))
    return { verdicts, cursors: told.map(({ cursor }) => cursor), cursor: reader.cursor }
  }

  it('a hole is not passed over, and what the server says a second time is believed', () => {
    const items = [event(1, 'a', null), event(3, 'c', 'b'), event(3, 'c', 'b')]
    expect(read(items)).toEqual({ verdicts: ['taken', 'gap', 'taken'], cursors: ['a', 'c'], cursor: 'c' })
  })

  it('a repeat and what is older are dropped', () => {
    const items = [event(1, 'a', null), event(2, 'b', 'a'), event(2, 'b', 'a'), event(1, 'a', null), event(3, 'c', 'b')]
    expect(read(items).cursors).toEqual(['a', 'b', 'c'])
  })

  it('a cursor that cannot be continued from is forgotten, and sequences begin again', () => {
    const items = [
      event(7, 'a', 'z'),
      item({ kind: 'RESYNC_REQUIRED', cursor: 'y' }),
      item({ kind: 'SNAPSHOT', cursor: 'k' }),
      event(2, 'l', 'k'),
    ]
    expect(read(items, 'z')).toEqual({
      verdicts: ['taken', 'resync', 'taken', 'taken'],
      cursors: ['a', 'k', 'l'],
      cursor: 'l',
    })
  })
})

const jwt = (exp: unknown) => `e30.${btoa(JSON.stringify({ exp }))}.x`

it.each([
  ['an hour', jwt(4_600), 3_570_000],
  ['ten seconds', jwt(1_010), 8_000],
  ['what is over', jwt(1_000), null],
  ['a century', jwt(4_000_000_000), 2 ** 31 - 1],
  ['no end', jwt(undefined), null],
  ['no token of this kind', 'st1.abc', null],
  ['nothing', null, null],
])('a token of %s is renewed in time', (_what, token, expected) => {
  expect(renewalMs(token, 1_000_000)).toBe(expected)
})

it.each(['\n', '\r\n', '\r'])('events are read from any pieces (%j)', (newline) => {
  const text = [
    ': hello',
    'retry: 1000',
    '',
    'event: next',
    'id: 7',
    'data: {"a":',
    'data:1}',
    '',
    'event:complete',
    'data',
    '',
    '',
  ].join(newline)
  for (let size = 1; size <= text.length; size++) {
    const parse = createEventParser()
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
      text.slice(index * size, (index + 1) * size),
    )
    // A CR at the very end can be the first half of a CRLF.
    const events = [...pieces, ...(newline === '\r' ? [':'] : [])].flatMap(parse)
    expect(events).toEqual([
      { name: 'next', data: '{"a":\n1}' },
      { name: 'complete', data: '' },
    ])
  }
})
