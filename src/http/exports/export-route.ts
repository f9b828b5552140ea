import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { EXPORT_PATH, type OpenedExport } from '../../commands/payments-export.ts'
import type { ExportFormatName } from '../../domain/exports/export-format.ts'
import type { Logger } from '../../observability/logger.ts'
import { createConcurrencyLimiter } from '../limits/concurrency-limiter.ts'
import { createGrantReader, type GrantsOptions } from '../protection/grants.ts'
import { errorAnswer, RETRY_AFTER_S } from '../server/problem.ts'
import type { HttpServer } from '../server/server.ts'

export type ExportRouteOptions = GrantsOptions<OpenedExport> & {
  /** Returns the parts of the file; null if the download was begun before. */
  readonly begin: (opened: OpenedExport) => Promise<AsyncIterable<string> | null>
  /** Whether no download may begin at this process now, because it is overloaded. */
  readonly isOverloaded: () => boolean
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

const BUSY = errorAnswer(503, {
  code: 'OVERLOADED',
  message: 'The server is overloaded. Try again later.',
  retryAfterS: RETRY_AFTER_S,
})
const USED = errorAnswer(409, { code: 'ALREADY_USED', message: 'This URL was already used. Request another one.' })

const CONTENT_TYPES: Readonly<Record<ExportFormatName, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
}

/**
 * Adds the address for files of payments. Its URL is the right to one download, so it takes no token. The file is written while it is read, as fast
 * as the client takes it; at most a page of it is in memory.
 */
export function addExportRoute(http: Pick<HttpServer, 'route' | 'send'>, options: ExportRouteOptions): void {
  const { begin, isOverloaded, logger, clock } = options
  const { atOnce, perCaller, totalMs } = { ...LIMITS, ...options.limits }
  const downloads = createConcurrencyLimiter(atOnce)
  const callers = createConcurrencyLimiter(perCaller)
  const openedBy = createGrantReader(options)

  const acquire = ({ callerKey }: OpenedExport): boolean => {
    if (!callers.acquire(callerKey)) return false
    if (downloads.acquire('')) return true
    callers.release(callerKey)
    return false
  }

  const sendFile = async (request: IncomingMessage, response: ServerResponse) => {
    const asked = isOverloaded() ? { refusal: BUSY } : openedBy(request)
    if ('refusal' in asked) return http.send(request, response, asked.refusal)
    const { opened } = asked
    if (!acquire(opened)) return http.send(request, response, BUSY)
    const timer = setTimeout(() => {
      logger.warn({}, 'an export took too long and was cut off')
      response.destroy()
    }, totalMs)
    response.once('close', () => {
      clearTimeout(timer)
      downloads.release('')
      callers.release(opened.callerKey)
    })
    const parts = await begin(opened)
    if (parts === null) return http.send(request, response, USED)
    const { format } = opened.query
    const file = Readable.from(parts, { objectMode: false })
    const headers = Object.entries({
      'content-type': CONTENT_TYPES[format],
      'content-disposition': `attachment; filename="payments-${instantOf(clock())}.${format}"`,
      'accept-ranges': 'none',
    }).flat()
    file.once('error', (error) => logger.error({ err: error }, 'an export was cut off'))
    return http.send(request, response, { status: 200, headers, body: file })
  }

  // Without HEAD: a request for the headers alone would use the address.
  http.route(['GET'], EXPORT_PATH, sendFile)
}

/** Returns an instant for the name of a file, such as `20261124T181500Z`. */
function instantOf(now: Date): string {
  return now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
}
