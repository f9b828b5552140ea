import { randomFrom, type Random } from '../../faults/random.ts'
import { oneOf } from '../random-operation.ts'
import type { Attack, HttpAttack } from './attack.ts'
import { strangeBody } from './random-body.ts'
import { questionsOfEveryKind, randomQuestion } from './random-question.ts'
import { asGet, asPost, asStream, strange, type Tokens } from './random-request.ts'
import { randomSocket } from './random-socket.ts'
import { randomWebhook } from './random-webhook.ts'
import { wholeAttack, writeRequest, type RequestParts } from './write-request.ts'

type MakeAttack = (random: Random, tokens: Tokens) => Attack

/** Each entry is equally likely. */
const ATTACKS: readonly MakeAttack[] = [
  question,
  question,
  question,
  question,
  question,
  question,
  overGet,
  overEvents,
  overEvents,
  randomSocket,
  randomSocket,
  randomSocket,
  (random) => wholeAttack('webhook', [randomWebhook(random)]),
  (random) => wholeAttack('webhook', [randomWebhook(random)]),
  withStrangeBody,
  withStrangeBody,
  strangeRequest,
  strangeRequest,
  pipelined,
  inARow,
  cutShort,
  cutShort,
]

/** Probability of a guided operation (`questionsOfEveryKind`), while any are left. */
const GUIDED = 0.6

/**
 * Yields the attacks of a run without end: the same for the same seed, whatever the server does. The first ones are mixed with the guided
 * operations, which every run must contain.
 */
export function* attacksOf(seed: number, tokens: Tokens): Generator<Attack> {
  const random = randomFrom(seed)
  const guided = shuffled(questionsOfEveryKind(), random)
  for (;;) {
    const own = randomFrom(Math.floor(random() * 2 ** 32))
    const ask = own() < GUIDED ? guided.pop() : undefined
    if (ask === undefined) yield oneOf(own, ATTACKS)(own, tokens)
    else {
      const asked = ask(own)
      yield wholeAttack(asked.name, [asPost(asked, own, tokens)])
    }
  }
}

function question(random: Random, tokens: Tokens): HttpAttack {
  const asked = randomQuestion(random)
  return wholeAttack(asked.name, [asPost(asked, random, tokens)])
}

function overGet(random: Random, tokens: Tokens): HttpAttack {
  const request = asGet(randomQuestion(random), random, tokens)
  return { ...wholeAttack('question in an address', [request]), whole: request.path.length < 8_000 }
}

function overEvents(random: Random, tokens: Tokens): HttpAttack {
  return wholeAttack('stream of events', [asStream(randomQuestion(random), random, tokens)])
}

function withStrangeBody(random: Random, tokens: Tokens): HttpAttack {
  const request = asPost(randomQuestion(random), random, tokens)
  return wholeAttack('strange body', [{ ...request, body: strangeBody(bodyIn(request), random) }])
}

function strangeRequest(random: Random, tokens: Tokens): HttpAttack {
  const made = oneOf(random, [asPost, asGet, asStream])(randomQuestion(random), random, tokens)
  return { ...wholeAttack('strange request', [strange(made, random)]), whole: false }
}

/** Several pipelined requests on one connection, some of them strange. */
function pipelined(random: Random, tokens: Tokens): HttpAttack {
  const requests = Array.from({ length: 2 + Math.floor(random() * 8) }, () => {
    const request = asPost(randomQuestion(random), random, tokens)
    return random() < 0.2 ? strange(request, random) : request
  })
  return { ...wholeAttack('pipelined', requests), whole: false }
}

/** Very many small requests in a row. */
function inARow(random: Random): HttpAttack {
  const path = oneOf(random, ['/', '/graphql', '/health/live', '/metrics', '/webhooks/payments', '/x', '*'])
  const request: RequestParts = { method: oneOf(random, ['GET', 'POST', 'PUT', 'HEAD']), path, headers: [], body: null }
  const count = 1 + Math.floor(random() * 3_000)
  return {
    ...wholeAttack(
      'in a row',
      Array.from({ length: count }, () => request),
    ),
    whole: false,
  }
}

/** A request that is sent in pieces, in chunks, with a wrong length, or not completely. */
function cutShort(random: Random, tokens: Tokens): HttpAttack {
  const request = asPost(randomQuestion(random), random, tokens)
  const { length } = bodyIn(request)
  const how = oneOf<Partial<RequestParts>>(random, [
    {},
    { announced: length + 1 + Math.floor(random() * 50_000) },
    { announced: Math.floor(random() * length) },
    { announced: 2 ** 53 },
    { chunked: 1 + Math.floor(random() * 100) },
    { chunked: 1 + Math.floor(random() * 10_000) },
  ])
  // What follows the announced length is parsed as another, malformed request.
  const requests = (how.announced ?? length) < length ? [request, request] : [request]
  const bytes = writeRequest({ ...request, ...how })
  const until = random() < 0.5 ? bytes.length : Math.floor(random() * bytes.length)
  const size = Math.max(1, Math.ceil(until / (1 + Math.floor(random() * 20))))
  const count = Math.ceil(until / size)
  return {
    ...wholeAttack('cut short', requests),
    chunks: Array.from({ length: count }, (_, index) =>
      bytes.subarray(index * size, Math.min(until, (index + 1) * size)),
    ),
    pauseMs: oneOf(random, [0, 1, 10]),
    whole: false,
  }
}

function bodyIn({ body }: RequestParts): Buffer {
  return body ?? Buffer.alloc(0)
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, order: random() }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ item }) => item)
}
