import type { Random } from '../../faults/random.ts'
import { closeFrame, frame, OPCODE } from '../../support/raw-websocket.ts'
import { oneOf } from '../random-operation.ts'
import { anyValue } from '../random-value.ts'
import { randomQuestion } from './random-question.ts'

/** Frames on a WebSocket of its own: texts of messages, and raw frames. */
export type SocketAttack = {
  readonly headers: readonly (readonly [string, string])[]
  readonly frames: readonly (string | Buffer)[]
}

const MOST_MESSAGES = 40
/** Number of the first entries of `FRAMES` that well-behaved clients send. */
const TAME = 5
const { continuation, text, binary, ping, pong } = OPCODE
const TYPES = 'connection_init connection_ack ping pong subscribe next error complete start stop constructor'.split(' ')
const CODES = [0, 999, 1000, 1001, 1005, 1006, 1012, 2999, 3000, 4000, 4401, 5000, 65_535]
/** A stream without end for every token that may read it. */
const STREAM = 'subscription { paymentEvents { kind cursor } }'

/** Creates a frame, or the message of a text frame. */
type MakeFrame = (random: Random) => unknown

const id = (random: Random) => oneOf(random, ['1', '2', '3', '4', 'x'.repeat(1_000), '__proto__'])
const subscribe = (given: unknown, payload: unknown) => ({ id: given, type: 'subscribe', payload })

const FRAMES: readonly MakeFrame[] = [
  (random) => subscribe(id(random), randomQuestion(random)),
  (random) => subscribe(id(random), { query: STREAM }),
  (random) => ({ id: id(random), type: 'complete' }),
  (random) => ({ id: id(random), type: 'complete' }),
  () => ({ type: 'ping' }),
  (random) => ({ type: oneOf(random, ['ping', 'pong']), payload: anyValue(random) }),
  (random) => ({ id: anyId(random), type: oneOf(random, TYPES), payload: anyValue(random) }),
  (random) => ({ type: 'connection_init', payload: anyValue(random) }),
  (random) => JSON.stringify(anyValue(random)),
  (random) => `{"type":"ping","payload":${'['.repeat(Math.floor(random() * 30_000))}`,
  (random) => frame(ping, 'x'.repeat(Math.floor(random() * 125))),
  (random) => frame(pong, 'x'.repeat(Math.floor(random() * 125))),
  () => Buffer.concat([frame(text, '{"type":', { fin: false }), frame(ping), frame(continuation, '"ping"}')]),
  (random) => frame(oneOf(random, [binary, continuation, 0x3, 0xb]), 'x'.repeat(Math.floor(random() * 2_000))),
  (random) => frame(text, Buffer.from([0x22, 0x80 + Math.floor(random() * 0x80), 0x22])),
  (random) => frame(text, '{}', { masked: random() < 0.5, reserved: Math.floor(random() * 8), fin: random() < 0.5 }),
  (random) => frame(text, '', { declared: BigInt(Math.floor(random() * 2 ** 40)) }),
  (random) => closeFrame(oneOf(random, CODES), 'x'.repeat(Math.floor(random() * 100))),
]

/** Returns messages of the protocol in any order, valid and invalid, and malformed frames; mostly after `connection_init`. */
export function randomSocket(random: Random, tokens: readonly string[]): SocketAttack {
  // Half of the sockets begin with frames that do not make the server close them.
  let tame = random() < 0.5
  const frames = Array.from({ length: 1 + Math.floor(random() * MOST_MESSAGES) }, () => {
    tame &&= random() < 0.95
    return oneOf(random, FRAMES.slice(0, tame ? TAME : FRAMES.length))(random)
  })
  const greeted = random() < 0.8 ? [{ type: 'connection_init', payload: greeting(random, tokens) }] : []
  return {
    headers: random() < 0.1 ? [['Origin', 'https://evil.example.test']] : [],
    frames: [...greeted, ...frames].map((each) => (Buffer.isBuffer(each) ? each : textOf(each))),
  }
}

function textOf(message: unknown): string {
  return typeof message === 'string' ? message : JSON.stringify(message)
}

function greeting(random: Random, tokens: readonly string[]): unknown {
  const token = oneOf(random, [...tokens, null, null])
  return token === null ? oneOf(random, [undefined, {}, anyValue(random)]) : { authorization: `Bearer ${token}` }
}

function anyId(random: Random): unknown {
  return random() < 0.5 ? id(random) : anyValue(random)
}
