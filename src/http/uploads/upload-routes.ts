import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type OpenedUpload, type SubmitOutcome, UPLOAD_PATH } from '../../commands/request-identity-check.ts'
import { MOST_PICTURE_BYTES, PICTURES } from '../../domain/customers/identity-check.ts'
import type { WirePicture } from '../../upstream/wire/wire-identity-check.ts'
import { markStreamed } from '../connections/connections.ts'
import type { FailedAttempts } from '../limits/flood-guard.ts'
import { peerName } from '../server/client-caller.ts'
import { RETRY_AFTER_S } from '../server/direct-answers.ts'
import { readPictures, UploadError, type UploadLimits } from './read-pictures.ts'

type UploadRouteOptions = {
  /** Returns the upload that a URL stands for, or why it may not begin. */
  readonly open: (grant: string) => OpenedUpload | 'unknown' | 'expired'
  readonly submit: (upload: OpenedUpload, pictures: AsyncIterable<WirePicture>) => Promise<SubmitOutcome>
  readonly isDraining: () => boolean
  readonly failures: FailedAttempts
  readonly limits?: Partial<UploadLimits>
}

/** A megabyte each within two minutes is what a slow mobile network carries. */
const LIMITS: UploadLimits = { idleMs: 10_000, totalMs: 120_000 }

/** The pictures, and what a form adds to them. */
const MOST_BYTES = PICTURES.length * MOST_PICTURE_BYTES + 16 * 1024

type Answer = {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly field?: string | null
}

const ANSWERS = {
  draining: { status: 503, code: 'OVERLOADED', message: 'There is too much to do at the moment. Try again later.' },
  suspect: { status: 429, code: 'TOO_MANY_REQUESTS', message: 'Too many requests of this address. Try again later.' },
  unknown: { status: 404, code: 'NOT_FOUND', message: 'There is nothing at this address.' },
  expired: { status: 410, code: 'EXPIRED', message: 'The time for this upload is over. Ask for another address.' },
  used: { status: 409, code: 'ALREADY_USED', message: 'This address was used. Ask for another one.' },
  tooLarge: { status: 413, code: 'TOO_LARGE', message: 'The pictures are too large.' },
  unclear: {
    status: 502,
    code: 'OUTCOME_UNKNOWN',
    message: 'No answer came back. Look at the state of the identity first.',
  },
  unavailable: {
    status: 503,
    code: 'UPSTREAM_UNAVAILABLE',
    message: 'The documents cannot be passed on. Try again later.',
  },
  refused: {
    status: 422,
    code: 'UPSTREAM_REJECTED',
    message: 'The payments API refused the documents. Ask for another address.',
  },
} as const satisfies Record<string, Answer>

/**
 * Adds the address for pictures of identity documents. Its URL is the right to one upload, so it takes no token. The body is read after the URL was
 * verified, passed on as it comes, and neither stored nor logged.
 */
export function addUploadRoutes(app: FastifyInstance, options: UploadRouteOptions): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.post<{ Querystring: { grant?: string | string[] } }>(UPLOAD_PATH, async (request, reply) => {
      const answer = await receive(request, options)
      reply.header('cache-control', 'no-store')
      if (!request.raw.complete) reply.header('connection', 'close')
      if (answer === null) return reply.code(200).send({ submitted: true })
      return sendAnswer(reply, answer)
    })
  })
}

async function receive(
  request: FastifyRequest<{ Querystring: { grant?: string | string[] } }>,
  { open, submit, isDraining, failures, limits }: UploadRouteOptions,
): Promise<Answer | null> {
  if (isDraining()) return ANSWERS.draining
  const peer = peerName(request.ip)
  const { grant } = request.query
  const upload = typeof grant === 'string' ? open(grant) : 'unknown'
  if (upload === 'unknown') {
    if (failures.tooMany(peer)) return ANSWERS.suspect
    failures.count(peer)
    return ANSWERS.unknown
  }
  markStreamed(request.raw)
  if (upload === 'expired') return ANSWERS.expired
  if (Number(request.headers['content-length'] ?? 0) > MOST_BYTES) return ANSWERS.tooLarge
  let refusal: UploadError | null = null
  const pictures = noting(readPictures(request.raw, { ...LIMITS, ...limits }), (error) => (refusal = error))
  const outcome = await submit(upload, pictures)
  return refusal === null ? answerTo(outcome) : answerToRefusal(refusal)
}

/** Passes pictures on, and tells of the error with which they end. */
async function* noting(
  pictures: AsyncIterable<WirePicture>,
  onRefused: (error: UploadError) => void,
): AsyncGenerator<WirePicture> {
  const note = (error: unknown): never => {
    if (error instanceof UploadError) onRefused(error)
    throw error
  }
  async function* bytesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* bytes
    } catch (error) {
      note(error)
    }
  }
  try {
    for await (const picture of pictures) yield { ...picture, bytes: bytesOf(picture.bytes) }
  } catch (error) {
    note(error)
  }
}

function answerTo(outcome: SubmitOutcome): Answer | null {
  switch (outcome.kind) {
    case 'done':
      return outcome.isFirst ? null : ANSWERS.used
    case 'idempotency-conflict':
      return ANSWERS.used
    case 'outcome-unknown':
      return ANSWERS.unclear
    case 'upstream-rejected':
      return ANSWERS.refused
    default:
      return ANSWERS.unavailable
  }
}

function answerToRefusal({ fault: { status, field, message } }: UploadError): Answer {
  const code = status === 413 ? 'TOO_LARGE' : status === 408 ? 'TOO_SLOW' : 'INVALID_UPLOAD'
  return { status, code, message: field === null ? message : `${field} ${message}`, field }
}

function sendAnswer(reply: FastifyReply, { status, code, message, field }: Answer): FastifyReply {
  if (status === 503) reply.header('retry-after', RETRY_AFTER_S)
  const extensions = field == null ? { code } : { code, field }
  return reply.code(status).send({ errors: [{ message, extensions }] })
}
