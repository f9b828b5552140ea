import type { IncomingMessage, RequestListener } from 'node:http'
import { UPLOAD_PATH } from '../../commands/request-identity-check.ts'
import { RECEIVED } from '../../lib/read-body.ts'

export type BodyTimeOptions = {
  /** Milliseconds from the headers of a request to the end of its body. */
  readonly milliseconds: number
  readonly onSlow: (request: IncomingMessage) => void
}

/**
 * Limits the time for the body of every request, except uploads of pictures. Node has one limit for all requests of a server
 * (`requestTimeout`), which has to be that of the slowest route.
 */
export function limitBodyTime(onRequest: RequestListener, { milliseconds, onSlow }: BodyTimeOptions): RequestListener {
  const watch = (request: IncomingMessage) => {
    if (request.complete || request.destroyed) return
    // Most bodies come with their headers.
    if (request.readableLength > 0 && request.readableLength === Number(request.headers['content-length'])) return
    const timer = setTimeout(() => {
      if (!request.complete && !request.destroyed) onSlow(request)
    }, milliseconds).unref()
    request.once('close', () => clearTimeout(timer))
  }
  return (request, response) => {
    if (hasBody(request) && !isUpload(request)) void RECEIVED.then(() => watch(request))
    onRequest(request, response)
  }
}

/** Returns the error that Node raises for a request that is too slow. */
export function slowBody(): NodeJS.ErrnoException {
  return Object.assign(new Error('The body of the request was too slow.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
}

/** The reader of an upload has limits of its own. */
function isUpload({ url = '' }: IncomingMessage): boolean {
  return url.startsWith(UPLOAD_PATH) && (url.length === UPLOAD_PATH.length || url[UPLOAD_PATH.length] === '?')
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
