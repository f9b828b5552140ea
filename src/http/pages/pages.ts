import { existsSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { namesType } from '../server/accept.ts'

type PageRoutesOptions = {
  readonly pages: Pages
  /** Origin of the sandbox; null if the real payments API is used. The start page and the shop exist only with the sandbox. */
  readonly sandboxOrigin: string | null
}

/** Adds the routes of the pages. The console is always there: it has only the rights of the token that its user enters. */
export function addPageRoutes(app: FastifyInstance, { pages, sandboxOrigin }: PageRoutesOptions): void {
  app.get('/console', async (_request, reply) => pages.send(reply, 'console'))
  if (sandboxOrigin === null) return
  app.get('/', async (_request, reply) => pages.send(reply, 'start'))
  app.get('/shop', async (_request, reply) => pages.send(reply, 'shop'))
  app.get('/sandbox', async (_request, reply) => reply.redirect(`${sandboxOrigin}/sandbox`))
}

type PageName = 'start' | 'shop' | 'console' | 'explorer'

export type Pages = {
  /** Sends a page with its content security policy. */
  send(reply: FastifyReply, page: PageName): FastifyReply
}

/** The folder of the built pages; the same path from src and from dist. */
const FOLDER = fileURLToPath(new URL('../../../dist/web', import.meta.url))

/** A file name as the build makes it; all files are in one folder. */
const ASSET = /^\w[\w.-]*$/

/** Only scripts, styles and connections of this server: no inline script, no frame, no other host. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
]

/** The explorer's editor creates style elements, loads an icon font, and validates in workers. */
const EXPLORER_POLICY = POLICY.map((rule) =>
  rule.startsWith('style-src') ? "style-src 'self' 'unsafe-inline'" : rule,
).concat("font-src 'self'", "worker-src 'self'")

/** Returns whether the request is a browser's navigation to a page. */
export function asksForPage({ method, headers: { accept } }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return method === 'GET' && namesType(accept, 'text/html')
}

/** Returns whether a page has been built; the package has the console and the sandbox page alone. */
export function isBuilt(page: PageName, folder = FOLDER): boolean {
  return existsSync(join(folder, page))
}

/** Serves the files of the pages; null if they have not been built, which is logged at the start. */
export async function addPages(app: FastifyInstance, folder = FOLDER): Promise<Pages | null> {
  if (!isBuilt('console', folder)) return null
  await app.register(fastifyStatic, { root: folder, serve: false, preCompressed: true })
  app.get<{ Params: { name: string } }>('/assets/:name', async ({ params }, reply) => {
    if (!ASSET.test(params.name)) return reply.callNotFound()
    // Their names contain a hash of their content.
    return reply.sendFile(params.name, join(folder, 'assets'), { immutable: true, maxAge: '365d' })
  })
  return {
    send: (reply, page) =>
      reply
        .header('content-security-policy', (page === 'explorer' ? EXPLORER_POLICY : POLICY).join('; '))
        // A popup needs access to its opener.
        .header('cross-origin-opener-policy', 'same-origin-allow-popups')
        .header('cache-control', 'no-cache')
        .sendFile(`${page}/index.html`, folder, { cacheControl: false }),
  }
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>There is no such page</title>
<h1>There is no such page</h1>
<p>There is nothing at this address. <a href="/console">Go to the console</a></p>
`

/** Answers a browser's navigation to an unknown address with a page; programs get the same as JSON. */
export function sendMissingPage(reply: FastifyReply): FastifyReply {
  return reply
    .code(404)
    .type('text/html; charset=utf-8')
    .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
    .send(PAGE)
}
