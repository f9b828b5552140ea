import { existsSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sirv, { type RequestHandler } from 'sirv'
import { notFoundAnswer } from '../server/problem.ts'
import type { HttpServer } from '../server/server.ts'

type PageServer = Pick<HttpServer, 'route' | 'send' | 'headersFor' | 'cutUnread'>

type PageRoutesOptions = {
  readonly pages: Pages
  /** Which payments API the server works with; the console shows it. */
  readonly environment: string
  /** Origin of the sandbox; null if the real payments API is used. Start page, shop and design exist only with the sandbox. */
  readonly sandboxOrigin: string | null
}

/** Adds the routes of the pages. The console is always there: it has only the rights of the token that its user enters. */
export function addPageRoutes(http: PageServer, { pages, environment, sandboxOrigin }: PageRoutesOptions): void {
  const add = (path: string, page: PageName) =>
    http.route(['GET', 'HEAD'], path, (request, response) => pages.send(request, response, page))
  add('/console', environment === 'production' ? 'console/production' : 'console')
  if (sandboxOrigin === null) return
  add('/console/design', 'design')
  add('/', 'start')
  add('/shop', 'shop')
  http.route(['GET', 'HEAD'], '/sandbox', (request, response) =>
    http.send(request, response, { status: 302, headers: ['location', `${sandboxOrigin}/sandbox`], body: null }),
  )
}

type PageName = 'start' | 'shop' | 'console' | 'console/production' | 'design' | 'explorer'

export type Pages = {
  /** Sends a page with its content security policy. */
  send(request: IncomingMessage, response: ServerResponse, page: PageName): void
}

/** The folders of the documentation and of the built pages; the same paths from src and from dist. */
const DOCS = fileURLToPath(new URL('../../../docs', import.meta.url))
const FOLDER = fileURLToPath(new URL('../../../dist/web', import.meta.url))

/** Only scripts, styles and connections of this server: no inline script, no frame, no other host. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
]

/** The explorer's editor creates style elements, and validates in workers. */
const EXPLORER_POLICY = POLICY.map((rule) =>
  rule.startsWith('style-src') ? "style-src 'self' 'unsafe-inline'" : rule,
).concat("worker-src 'self'")

/** Returns whether a page has been built; the package has the console and the sandbox page alone. */
export function isBuilt(page: PageName, folder = FOLDER): boolean {
  return existsSync(join(folder, page))
}

type FileOptions = {
  readonly headers?: readonly string[]
  /** Default: it is asked for each time whether the file has changed. */
  readonly cacheControl?: string
  /** Default: the built pages. */
  readonly from?: RequestHandler
}

/** Serves the files of the pages, with the pictures of a sandbox; null if they have not been built, which is logged at the start. */
export function addPages(
  { route, send, headersFor, cutUnread }: PageServer,
  sandboxOrigin: string | null,
  folder = FOLDER,
): Pages | null {
  if (!isBuilt('console', folder)) return null
  // In development pages are built again while the process runs.
  const files = sirv(folder, { etag: true, brotli: true, gzip: true, dev: sandboxOrigin !== null })
  const sendFile = (
    request: IncomingMessage,
    response: ServerResponse,
    { headers = [], cacheControl = 'no-cache', from = files }: FileOptions,
  ) => {
    const head = headersFor(request, { headers, cacheControl, vary: 'Accept-Encoding' })
    for (let at = 0; at < head.length; at += 2) response.setHeader(head[at] ?? '', head[at + 1] ?? '')
    // Ranges are ignored, which RFC 9110, section 14.2, allows.
    delete request.headers.range
    from(request, response, () => send(request, response, notFoundAnswer(request)))
    cutUnread(response)
  }
  route(['GET', 'HEAD'], '/assets/:name', (request, response) =>
    // Their names contain a hash of their content.
    sendFile(request, response, { cacheControl: 'public, max-age=31536000, immutable' }),
  )
  // The start page links the guides, which browsers show as text. The image has neither.
  if (sandboxOrigin !== null && existsSync(DOCS)) {
    const docs = sirv(DOCS)
    route(['GET', 'HEAD'], '/docs/*', (request, response) => {
      request.url = request.url?.slice('/docs'.length) ?? ''
      sendFile(request, response, { headers: ['content-type', 'text/plain; charset=utf-8'], from: docs })
    })
  }
  return {
    send(request, response, page) {
      request.url = `/${page}/`
      const rules = page === 'explorer' ? EXPLORER_POLICY : POLICY
      // The shop shows the pictures of methods, which are the sandbox's.
      const policy = rules
        .map((rule) => (page === 'shop' && rule.startsWith('img-src') ? `${rule} ${sandboxOrigin}` : rule))
        .join('; ')
      // A popup needs access to its opener.
      const headers = ['content-security-policy', policy, 'cross-origin-opener-policy', 'same-origin-allow-popups']
      sendFile(request, response, { headers: ['content-type', 'text/html; charset=utf-8', ...headers] })
    },
  }
}
