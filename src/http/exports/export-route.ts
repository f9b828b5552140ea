import { finished, Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { EXPORT_PATH, type OpenedExport } from '../../commands/payments-export.ts'
import type { ExportFormatName } from '../../domain/exports/export-format.ts'
import type { Logger } from '../../observability/logger.ts'
import { createConcurrencyLimiter, type FailedAttempts } from '../limits/flood-guard.ts'
import { peerName } from '../server/client-caller.ts'
import { RETRY_AFTER_S } from '../server/direct-answers.ts'

export type ExportRouteOptions = {
  /** Returns the download that a URL stands for, or why it may not begin. */
  readonly open: (grant: string) => OpenedExport | 'unknown' | 'expired'
  /** Returns the parts of the file; null if the download was begun before. */
  readonly begin: (opened: OpenedExport) => Promise<AsyncIterable<string> | null>
  /** Whether no download may begin at this process now, because it is draining or overloaded. */
  readonly isRefusing: () => boolean
  readonly failures: FailedAttempts
  readonly logger: Logger
  readonly clock: () => Date
  readonly limits?: Partial<ExportLimits>
}

export type ExportLimits = {
  /** Downloads at a time. Each reads page by page, as fast as its client takes them. */
  readonly atOnce: number
  /** How many of them one caller may have. */
  readonly perCaller: number
  /** Milliseconds for a whole download. */
  readonly totalMs: number
}

/** 200,000 payments have about 60 MB, which takes half of this time at half a megabit per second. */
const LIMITS: ExportLimits = { atOnce: 4, perCaller: 2, totalMs: 30 * 60_000 }

type Answer = { readonly status: number; readonly code: string; readonly message: string }

const ANSWERS = {
  busy: { status: 503, code: 'OVERLOADED', message: 'There is too much to do at the moment. Try again later.' },
  suspect: { status: 429, code: 'TOO_MANY_REQUESTS', message: 'Too many requests of this address. Try again later.' },
  unknown: { status: 404, code: 'NOT_FOUND', message: 'There is nothing at this address.' },
  expired: { status: 410, code: 'EXPIRED', message: 'The time for this download is over. Ask for another address.' },
  used: { status: 409, code: 'ALREADY_USED', message: 'This address was used. Ask for another one.' },
} as const satisfies Record<string, Answer>

const CONTENT_TYPES: Readonly<Record<ExportFormatName, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
}

type ExportRequest = FastifyRequest<{ Querystring: { grant?: string | string[] } }>

/**
 * Adds the address for files of payments. Its URL is the right to one download, so it takes no token. The file is written while it is read, as fast
 * as the client takes it; at most a page of it is in memory.
 */
export function addExportRoute(app: FastifyInstance, options: ExportRouteOptions): void {
  const { open, begin, isRefusing, failures, logger, clock } = options
  const { atOnce, perCaller, totalMs } = { ...LIMITS, ...options.limits }
  const downloads = createConcurrencyLimiter(atOnce)
  const callers = createConcurrencyLimiter(perCaller)

  const acquire = ({ callerKey }: OpenedExport): boolean => {
    if (!callers.acquire(callerKey)) return false
    if (downloads.acquire('')) return true
    callers.release(callerKey)
    return false
  }

  const opened = ({ query: { grant }, ip }: ExportRequest): OpenedExport | Answer => {
    const download = typeof grant === 'string' ? open(grant) : 'unknown'
    if (download === 'expired') return ANSWERS.expired
    if (download !== 'unknown') return download
    const peer = peerName(ip)
    if (failures.tooMany(peer)) return ANSWERS.suspect
    failures.count(peer)
    return ANSWERS.unknown
  }

  const send = async (request: ExportRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (isRefusing()) return sendAnswer(reply, ANSWERS.busy)
    const download = opened(request)
    if ('status' in download) return sendAnswer(reply, download)
    if (!acquire(download)) return sendAnswer(reply, ANSWERS.busy)
    const { raw } = reply
    const timer = setTimeout(() => {
      logger.warn({}, 'an export took too long, and was cut off')
      raw.destroy()
    }, totalMs)
    finished(raw, () => {
      clearTimeout(timer)
      downloads.release('')
      callers.release(download.callerKey)
    })
    const parts = await begin(download)
    if (parts === null) return sendAnswer(reply, ANSWERS.used)
    const { format } = download.query
    const file = Readable.from(parts, { objectMode: false })
    file.once('error', (error) => logger.error({ err: error }, 'an export was cut off'))
    return reply
      .type(CONTENT_TYPES[format])
      .header('content-disposition', `attachment; filename="payments-${instantOf(clock())}.${format}"`)
      .header('accept-ranges', 'none')
      .send(file)
  }

  // Without HEAD: a request for the headers alone would use the address.
  app.get<{ Querystring: { grant?: string | string[] } }>(EXPORT_PATH, { exposeHeadRoute: false }, send)
}

/** Returns an instant for the name of a file, such as `20261124T181500Z`. */
function instantOf(now: Date): string {
  return now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
}

function sendAnswer(reply: FastifyReply, { status, code, message }: Answer): FastifyReply {
  if (status === 503) reply.header('retry-after', RETRY_AFTER_S)
  return reply.code(status).send({ errors: [{ message, extensions: { code } }] })
}
