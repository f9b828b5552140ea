import type { IncomingMessage } from 'node:http'
import { type OpenedUpload, type SubmitOutcome, UPLOAD_PATH } from '../../commands/request-identity-check.ts'
import { MOST_PICTURE_BYTES, PICTURES } from '../../domain/customers/identity-check.ts'
import type { WirePicture } from '../../upstream/wire/wire-identity-check.ts'
import { markStreamed } from '../connections/connections.ts'
import { createGrantReader, type GrantsOptions } from '../protection/grants.ts'
import { type HttpAnswer, jsonAnswer } from '../server/http-answer.ts'
import { errorAnswer, RETRY_AFTER_S } from '../server/problem.ts'
import type { HttpServer } from '../server/server.ts'
import { readPictures, UploadError, type UploadLimits } from './read-pictures.ts'

type UploadRouteOptions = GrantsOptions<OpenedUpload> & {
  readonly submit: (upload: OpenedUpload, pictures: AsyncIterable<WirePicture>) => Promise<SubmitOutcome>
  readonly limits?: Partial<UploadLimits>
}

/** A megabyte each within two minutes is what a slow mobile network carries. */
const LIMITS: UploadLimits = { idleMs: 10_000, totalMs: 120_000 }

/** The pictures, and what a form adds to them. */
const MOST_BYTES = PICTURES.length * MOST_PICTURE_BYTES + 16 * 1024

const ANSWERS = {
  used: errorAnswer(409, { code: 'ALREADY_USED', message: 'This URL was already used. Request another one.' }),
  tooLarge: errorAnswer(413, { code: 'TOO_LARGE', message: 'The pictures are too large.' }),
  unclear: errorAnswer(502, {
    code: 'OUTCOME_UNKNOWN',
    message: 'There was no answer. Check the identity status before you retry.',
  }),
  unavailable: errorAnswer(503, {
    code: 'UPSTREAM_UNAVAILABLE',
    message: 'The documents cannot be forwarded. Try again later.',
    retryAfterS: RETRY_AFTER_S,
  }),
  refused: errorAnswer(422, {
    code: 'UPSTREAM_REJECTED',
    message: 'The payments API refused the documents. Request another URL.',
  }),
  submitted: jsonAnswer(200, { submitted: true }),
} as const satisfies Record<string, HttpAnswer>

/**
 * Adds the address for pictures of identity documents. Its URL is the right to one upload, so it takes no token. The body is read after the URL was
 * verified, passed on as it comes, and neither stored nor logged.
 */
export function addUploadRoutes(http: Pick<HttpServer, 'route' | 'send'>, options: UploadRouteOptions): void {
  const { submit, limits } = options
  const openedBy = createGrantReader(options)

  const receive = async (request: IncomingMessage): Promise<HttpAnswer> => {
    const asked = openedBy(request)
    if ('refusal' in asked) return asked.refusal
    markStreamed(request)
    if (Number(request.headers['content-length'] ?? 0) > MOST_BYTES) return ANSWERS.tooLarge
    let refusal: UploadError | null = null
    const pictures = noting(readPictures(request, { ...LIMITS, ...limits }), (error) => (refusal = error))
    const outcome = await submit(asked.opened, pictures)
    return refusal === null ? answerTo(outcome) : answerToRefusal(refusal)
  }
  http.route(['POST'], UPLOAD_PATH, async (request, response) => {
    const answer = await receive(request)
    http.send(request, response, { ...answer, closes: !request.complete })
  })
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

function answerTo(outcome: SubmitOutcome): HttpAnswer {
  switch (outcome.kind) {
    case 'done':
      return outcome.isFirst ? ANSWERS.submitted : ANSWERS.used
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

function answerToRefusal({ fault: { status, field, message } }: UploadError): HttpAnswer {
  const code = status === 413 ? 'TOO_LARGE' : status === 408 ? 'TOO_SLOW' : 'INVALID_UPLOAD'
  return errorAnswer(status, field === null ? { code, message } : { code, message: `${field} ${message}`, field })
}
