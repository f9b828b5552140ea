import { existsSync, readFileSync } from 'node:fs'
import type { IncomingMessage, Server } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHostCheck } from 'payments-subgraph-lib/known-hosts'
import sirv from 'sirv'
import { apiRoutes, apiScope, type ApiGroup } from '../api/api.ts'
import { v1Balances, v1Deposits, v1Agreements, v1Gateway, v1Payouts } from '../api/v1-routes.ts'
import { v2Customers } from '../api/v2-customers.ts'
import { v2Balances, v2Banks, v2PayinMethods, v2PayoutMethods, v2Payins, v2Payouts } from '../api/v2-routes.ts'
import { v3Links, v3Methods, v3Refund } from '../api/v3-links.ts'
import { ControlError, type SandboxControl } from '../control/control.ts'
import { json, notFound } from '../http/answers.ts'
import { BodyTooLargeError, type Answer, type Call, createHttpServer, type Routes, type Scope } from '../http/server.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { addCheckoutRoutes, checkoutScope } from './checkout-routes.ts'
import { addChangesRoute, addControlRoutes, addRequestsRoute, addScenariosRoute } from './control-routes.ts'

/** The groups of endpoints below `/api`, one file each. */
const API_GROUPS: readonly ApiGroup[] = [
  v1Agreements,
  v1Gateway,
  v1Deposits,
  v1Payouts,
  v2PayinMethods,
  v2Payins,
  v2PayoutMethods,
  v2Payouts,
  v1Balances,
  v2Balances,
  v2Banks,
  v2Customers,
  v3Methods,
  v3Links,
  v3Refund,
]

/**
 * Builds the sandbox's HTTP server, not listening yet: the interface, the hosted checkout, the page and the control
 * endpoints.
 */
export function buildServer(store: SandboxStore, control: SandboxControl, { closing, hosts }: ServerOptions): Server {
  const isKnownHost = createHostCheck(hosts)
  const frame = readFrame()
  const scopes: Readonly<Record<string, Scope>> = {
    api: apiScope(store, closing),
    checkout: checkoutScope(store, frame),
    sandbox: ({ request }, route) =>
      request.method === 'GET' || isOurOrigin(request)
        ? (route?.() ?? notFound('There is no such control endpoint.'))
        : refused('A page of another origin may change nothing here.'),
  }
  const others: Scope = (_call, route) => route?.() ?? notFound('There is nothing here.')
  const { server, routes } = createHttpServer(
    (call, route) =>
      // None of the endpoints is for pages of other names.
      isKnownHost(call.request)
        ? (scopes[call.path.split('/', 2)[1] ?? ''] ?? others)(call, route)
        : refused('The sandbox is not known by this host name.'),
    failureOf,
  )
  for (const group of API_GROUPS) group(apiRoutes(routes, store), store)
  addCheckoutRoutes(routes, store, frame)
  addPageRoutes(routes)
  addChangesRoute(routes, store.changes, closing)
  addControlRoutes(routes, control)
  addRequestsRoute(routes, store)
  addScenariosRoute(routes, store)
  return server
}

function refused(message: string): Answer {
  return json(403, { errors: { message } })
}

function failureOf(error: unknown): Answer {
  if (error instanceof ControlError) return json(error.httpStatus, { errors: { message: error.message } })
  const status = error instanceof BodyTooLargeError ? 413 : 500
  return json(status, { errors: { message: 'The request cannot be handled.' } })
}

/** Programs send no Origin header; browsers send it with every request except plain reads. */
function isOurOrigin({ headers: { origin, host } }: IncomingMessage): boolean {
  if (origin === undefined) return true
  const page = URL.parse(origin)
  return page !== null && page.origin === origin && page.host === host
}

export type ServerOptions = {
  /** Aborts pending waits. */
  closing: AbortSignal
  /** Host names under which it is reached, besides those of this machine. */
  hosts: readonly string[]
}

/** Folder of the built pages: its own part of them in the packed package, and those of the repository in the repository. */
const PAGES = import.meta.url.endsWith('.ts') ? '../../../../dist/web' : '../web'
const FOLDER = fileURLToPath(new URL(PAGES, import.meta.url))

/** Allows only scripts, styles and connections of this origin: no inline script, no frame, no other host. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "font-src 'self'",
    'img-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
  'content-type': 'text/html; charset=utf-8',
}

const ASSET_HEADERS = {
  // The asset names contain a content hash.
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
}

/** Returns the frame of the hosted pages; a bare one if the pages are not built. */
function readFrame(): string {
  const path = join(FOLDER, 'sandbox/hosted.html')
  if (existsSync(path)) return readFileSync(path, 'utf8')
  return '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{title}}</title>{{head}}</head><body>{{main}}</body></html>'
}

const PAGE_PATH = '/sandbox/'

const NOT_BUILT = `The sandbox runs, but its page has not been built: npm run build:web
Everything that it shows can be had at /sandbox/state, /sandbox/webhooks, /sandbox/calls and /sandbox/faults.
`

/** Adds the sandbox's page at `/` and `/sandbox`, with its assets; if the pages are not built, a text that says so. */
function addPageRoutes({ get }: Routes): void {
  const files = sirv(FOLDER, {
    etag: true,
    brotli: true,
    gzip: true,
    // Pages may be built again while the process runs.
    dev: true,
    setHeaders(response, path) {
      const headers = path === PAGE_PATH ? HEADERS : ASSET_HEADERS
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    },
  })
  const sendFile = ({ request, response }: Call, path: string): Answer | undefined => {
    let answer: Answer | undefined
    // Ranges are ignored, which RFC 9110, section 14.2, allows.
    delete request.headers.range
    request.url = path
    files(request, response, () => void (answer = notFound('There is nothing here.')))
    return answer
  }
  get('/assets/:name', (call) => sendFile(call, call.path))
  for (const path of ['/', '/sandbox']) {
    get(path, (call) =>
      existsSync(join(FOLDER, 'sandbox/index.html'))
        ? sendFile(call, PAGE_PATH)
        : { status: 503, headers: { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' }, body: NOT_BUILT },
    )
  }
}
