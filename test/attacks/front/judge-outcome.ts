import { OPCODE } from '../../support/raw-websocket.ts'
import type { Attack } from './attack.ts'
import type { HttpAnswer } from './http-answers.ts'
import { judgeErrors, judgeReply } from './judge-reply.ts'
import type { Outcome } from './perform.ts'

/** Allowed statuses. 503 means overload, or that a dependency is unreachable. */
const STATUSES: ReadonlySet<number> = new Set([
  200, 204, 206, 302, 304, 400, 401, 403, 404, 405, 406, 408, 413, 414, 415, 416, 417, 426, 429, 431, 503,
])
/** Allowed close codes of graphql-ws (PROTOCOL.md), of WebSocket (RFC 6455) and of this server. */
const CLOSE_CODES: ReadonlySet<number> = new Set([
  1002, 1007, 1008, 1009, 1013, 4400, 4401, 4403, 4406, 4408, 4409, 4429,
])
/** The server's close frame repeats the client's own code. */
const ECHOED: ReadonlySet<number> = new Set([1000, 1001, 1012, 3000, 4000, 4401])
/** Keys of the framework's error body for bytes that are not HTTP. */
const NO_HTTP = ['error', 'message', 'statusCode']

/** Returns what is wrong with the outcome of an attack, one line each. */
export function judgeOutcome(attack: Attack, outcome: Outcome): string[] {
  if (outcome.kind === 'socket') return judgeSocket(attack, outcome)
  const { answers, fault } = outcome
  const found = answers.flatMap((answer) => judgeAnswer(answer, attack.told))
  if (fault !== null) found.push(fault)
  if (attack.kind === 'http' && attack.whole && isMissing(answers, attack.methods.length))
    found.push('there is no answer')
  return found
}

/** Returns whether answers are missing. After an answer with `Connection: close`, later requests need no answer. */
function isMissing(answers: readonly HttpAnswer[], count: number): boolean {
  const last = answers.at(-1)
  return answers.length < count && last?.headers.get('connection')?.includes('close') !== true
}

function judgeAnswer({ method, status, headers, body, complete }: HttpAnswer, told: string): string[] {
  const type = headers.get('content-type')?.[0] ?? ''
  const found = STATUSES.has(status) ? [] : [`the status is ${status}`]
  if (type.startsWith('text/event-stream')) return [...found, ...judgeEvents(body.toString(), told)]
  if (!complete || method === 'HEAD' || !/json/.test(type)) return found
  const json = jsonIn(body.toString())
  if (json === undefined) return [...found, 'the body is no JSON']
  if (isOf(json, NO_HTTP) && status >= 400 && status < 500) return found
  // The answer of a health probe.
  if (isOf(json, ['status'])) return found
  return [...found, ...judgeReply(json, told)]
}

function judgeSocket(attack: Attack, { refused, frames, closed }: Extract<Outcome, { kind: 'socket' }>): string[] {
  if (refused !== null) return [403, 429, 503].includes(refused) ? [] : [`the upgrade is refused with ${refused}`]
  const found = frames.flatMap(({ opcode, text }) =>
    opcode === OPCODE.text ? judgeMessage(jsonIn(text), attack.told) : [`a frame has the opcode ${opcode}`],
  )
  if (closed === null || (!CLOSE_CODES.has(closed) && !ECHOED.has(closed)))
    found.push(`the socket is closed with ${closed}`)
  return found
}

function judgeMessage(message: unknown, told: string): string[] {
  if (typeof message !== 'object' || message === null || !('type' in message)) return ['a message is no message']
  const { type, id, payload } = message as { type: unknown; id?: unknown; payload?: unknown }
  if (type === 'connection_ack' || type === 'pong' || type === 'ping') return []
  if (typeof id !== 'string') return [`a message of the type ${String(type)} has no id`]
  if (type === 'complete') return []
  if (type === 'next') return judgeReply(payload, told)
  return type === 'error' ? judgeErrors(payload, told) : [`a message has the type ${String(type)}`]
}

function judgeEvents(text: string, told: string): string[] {
  const events = text.split('\n\n').slice(0, -1)
  return events.flatMap((event) => {
    const fields = new Map(
      event.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
    )
    const kind = fields.get('event')?.trim()
    if (kind === 'complete' || /^(?:$|:|retry: \d+$)/.test(event)) return []
    if (kind !== 'next') return [`an event is ${JSON.stringify(event.slice(0, 100))}`]
    return judgeReply(jsonIn(fields.get('data') ?? ''), told)
  })
}

function isOf(json: unknown, keys: readonly string[]): boolean {
  return typeof json === 'object' && json !== null && Object.keys(json).toSorted().join() === keys.join()
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
