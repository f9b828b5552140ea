import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import fastify, { type FastifyInstance } from 'fastify'
import { registerApi, type ApiGroup } from '../api/api.ts'
import { sendNotFound, guardHosts, guardOrigins } from '../api/json-answers.ts'
import { v1Balances, v1Deposits, v1Agreements, v1Gateway, v1Payouts } from '../api/v1-routes.ts'
import { v2Customers } from '../api/v2-customers.ts'
import { v2Balances, v2Banks, v2PayinMethods, v2PayoutMethods, v2Payins, v2Payouts } from '../api/v2-routes.ts'
import { v3Links, v3Methods, v3Refund } from '../api/v3-links.ts'
import type { SandboxControl } from '../control/control.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { registerCheckout } from './checkout-routes.ts'
import { registerChanges, registerControl, registerRequests, registerScenarios } from './control-routes.ts'

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
export function buildServer(
  store: SandboxStore,
  control: SandboxControl,
  { closing, hosts }: ServerOptions,
): FastifyInstance {
  const server = fastify({ forceCloseConnections: true, exposeHeadRoutes: false })
  // Bodies are read as bytes for every content type, since each route responds to a wrong type differently.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  guardHosts(server, hosts)
  server.setNotFoundHandler(async (_request, reply) => sendNotFound(reply, 'There is nothing here.'))
  void server.register(async (api) => registerApi(api, store, { groups: API_GROUPS, closing }), { prefix: '/api' })
  void server.register(async (checkout) => registerCheckout(checkout, store, readFrame()), { prefix: '/checkout' })
  void server.register(async (own) => {
    guardOrigins(own)
    await registerPage(own)
    registerChanges(own, store.changes, closing)
    await own.register(
      async (controls) => {
        registerControl(controls, control)
        registerRequests(controls, store.sites)
        registerScenarios(controls, () => store.origin)
      },
      { prefix: '/sandbox' },
    )
  })
  return server
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
}

/** Returns the frame of the hosted pages; a bare one if the pages are not built. */
function readFrame(folder = FOLDER): string {
  const path = join(folder, 'sandbox/hosted.html')
  if (existsSync(path)) return readFileSync(path, 'utf8')
  return '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{title}}</title>{{head}}</head><body>{{main}}</body></html>'
}

const NOT_BUILT = `The sandbox runs, but its page has not been built: npm run build:web
Everything that it shows can be had at /sandbox/state, /sandbox/webhooks, /sandbox/calls and /sandbox/faults.
`

/** Serves the sandbox's page at `/` and `/sandbox`, with its assets; if the pages are not built, a text that says so. */
export async function registerPage(server: FastifyInstance, folder = FOLDER): Promise<void> {
  const isBuilt = existsSync(join(folder, 'sandbox/index.html'))
  if (isBuilt) {
    await server.register(fastifyStatic, {
      root: join(folder, 'assets'),
      prefix: '/assets/',
      index: false,
      preCompressed: true,
      // The asset names contain a content hash.
      immutable: true,
      maxAge: '365d',
      setHeaders: (reply) => void reply.header('x-content-type-options', 'nosniff'),
    })
  }
  for (const path of ['/', '/sandbox']) {
    server.get(path, async (_request, reply) => {
      reply.headers(HEADERS)
      if (!isBuilt) return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT)
      return reply.sendFile('sandbox/index.html', folder, { cacheControl: false })
    })
  }
}
