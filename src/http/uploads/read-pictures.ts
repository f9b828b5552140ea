import type { IncomingMessage } from 'node:http'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import {
  MAGIC_BYTES,
  mayBeOfType,
  MOST_PICTURE_BYTES,
  type PictureName,
  PICTURES,
  type PictureType,
  pictureTypeOf,
} from '../../domain/customers/identity-check.ts'
import { UpstreamFault } from '../../upstream/upstream-fault.ts'

/** What is wrong with an upload, with the HTTP status of its answer. */
export type UploadFault = {
  readonly status: 400 | 408 | 413 | 415 | 422
  readonly field: string | null
  readonly message: string
}

/** An upload that was refused while it came. Nothing of it was handed in, so it may be repeated. */
export class UploadError extends UpstreamFault {
  readonly fault: UploadFault

  constructor(fault: UploadFault) {
    super({ kind: 'not-sent', reason: 'invalid-request' })
    this.fault = fault
  }
}

export type Picture = {
  readonly name: PictureName
  readonly type: PictureType
  readonly bytes: AsyncIterable<Uint8Array>
}

export type UploadLimits = {
  /** Milliseconds without a byte after which the upload is given up. */
  readonly idleMs: number
  /** Milliseconds for the whole upload. */
  readonly totalMs: number
}

type Source = AsyncIterable<Uint8Array>
type Part = { readonly field: string; readonly stream: Source }

/** The names of parts, and their headers, are short. */
const HEADER_BYTES = 200
const HEADER_PAIRS = 10

/**
 * Reads the pictures of a multipart request (RFC 7578) in the order in which they come: each of the three once, and nothing else. A chunk is read
 * when the one before it was taken, so that at most a few are in memory. Throws an `UploadError` for anything else than such a request.
 */
export async function* readPictures(request: IncomingMessage, limits: UploadLimits): AsyncGenerator<Picture> {
  const missing = new Set<string>(PICTURES)
  for await (const { field, stream } of partsOf(request, limits)) {
    const name = PICTURES.find((known) => known === field)
    if (name === undefined || !missing.delete(field))
      throw refused(422, shownName(name), 'must be there once, and nothing else')
    yield await pictureOf(name, stream)
  }
  const [first] = missing
  if (first !== undefined) throw refused(422, first, 'is missing')
}

async function pictureOf(name: PictureName, stream: Source): Promise<Picture> {
  const chunks = stream[Symbol.asyncIterator]()
  let start = Buffer.alloc(0)
  while (start.length < MAGIC_BYTES) {
    const { done, value } = await chunks.next()
    if (done === true) break
    start = Buffer.concat([start, value])
  }
  const type = pictureTypeOf(start)
  if (type === null || !mayBeOfType(name, type))
    throw refused(415, name, name === 'selfie' ? 'must be a JPEG' : 'must be a JPEG or a PNG')
  return { name, type, bytes: limited(name, start, chunks) }
}

/** Passes a picture on, up to the largest size. */
async function* limited(
  name: PictureName,
  start: Buffer,
  chunks: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let size = start.length
  yield start
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    size += next.value.length
    if (size > MOST_PICTURE_BYTES) throw refused(413, name, `must have at most ${MOST_PICTURE_BYTES / 1024 / 1024} MiB`)
    yield next.value
  }
}

/** Returns the files of a request one after the other, and ends with an error if it ends in any other way than completely. */
async function* partsOf(request: IncomingMessage, limits: UploadLimits): AsyncGenerator<Part> {
  const { signal, touch, end } = watchTime(limits)
  const parser = parserOf(request)
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  const fail = (error: Error) => failed.reject(error)
  signal.addEventListener('abort', () => fail(refused(408, null, 'The upload was too slow.')))
  request.on('data', touch)
  request.once('aborted', () => fail(refused(400, null, 'The upload was incomplete.')))
  request.once('error', () => fail(refused(400, null, 'The upload was incomplete.')))
  parser.once('error', () => fail(refused(400, null, 'The body is not a multipart form.')))
  parser.on('field', () => fail(refused(422, null, 'The form has a field that is not a file.')))
  let wake = Promise.withResolvers<void>()
  const waiting: Part[] = []
  let finished = false
  const awaited = <Value>(promise: Promise<Value>) => Promise.race([promise, failed.promise])
  parser.on('file', (field, stream) => {
    stream.on('error', () => {})
    waiting.push({ field, stream: raced(stream, awaited) })
    wake.resolve()
  })
  parser.once('finish', () => {
    finished = true
    wake.resolve()
  })
  request.pipe(parser)
  try {
    for (;;) {
      await awaited(wake.promise)
      wake = Promise.withResolvers<void>()
      const next = waiting.shift()
      if (next !== undefined) yield next
      if (waiting.length > 0) wake.resolve()
      else if (finished) return
    }
  } finally {
    end()
    request.off('data', touch)
    request.unpipe(parser)
  }
}

async function* raced(
  stream: Source,
  awaited: <Value>(promise: Promise<Value>) => Promise<Value>,
): AsyncGenerator<Uint8Array> {
  const chunks = stream[Symbol.asyncIterator]()
  for (;;) {
    const { done, value } = await awaited(chunks.next())
    if (done === true) return
    yield value
  }
}

function parserOf(request: IncomingMessage) {
  try {
    return new Busboy({
      headers: request.headers as BusboyHeaders,
      // One more than is allowed, so that it is noticed.
      limits: {
        files: PICTURES.length + 1,
        fields: 1,
        fieldSize: 1,
        fieldNameSize: HEADER_BYTES,
        headerPairs: HEADER_PAIRS,
      },
    })
  } catch {
    throw refused(415, null, 'The body is not a multipart form.')
  }
}

/** Watches for a pause that is too long, and for the end of the time. */
function watchTime({ idleMs, totalMs }: UploadLimits) {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const total = setTimeout(abort, totalMs)
  const idle = setTimeout(abort, idleMs)
  return {
    signal: controller.signal,
    touch: () => void idle.refresh(),
    end() {
      clearTimeout(total)
      clearTimeout(idle)
    },
  }
}

function shownName(name: PictureName | undefined): string | null {
  return name ?? null
}

function refused(status: UploadFault['status'], field: string | null, message: string): UploadError {
  return new UploadError({ status, field, message })
}
