import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export type PageName = 'start' | 'shop' | 'console' | 'explorer'

export type Pages = {
  /** Sends a page, with the policy that it needs. */
  send(reply: FastifyReply, page: PageName): FastifyReply
}

/** Where the build puts the pages; the same from src and from dist. */
const FOLDER = fileURLToPath(new URL('../../../dist/web', import.meta.url))

/** A file as the build names it: all of them lie in one folder. */
const ASSET = /^\w[\w.-]*$/

/** Scripts, styles and connections of our own, and nothing else: no inline script, no frame, no other host. */
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

/** The explorer's editor makes style elements, has its signs in a font, and checks in workers. */
const EXPLORER_POLICY = POLICY.map((rule) =>
  rule.startsWith('style-src') ? "style-src 'self' 'unsafe-inline'" : rule,
).concat("font-src 'self'", "worker-src 'self'")

/** Whether a browser asks for a page, rather than a program for an answer. */
export function asksForPage({ method, headers: { accept = '' } }: FastifyRequest): boolean {
  return method === 'GET' && accept.includes('text/html')
}

/** Whether there are pages to serve. */
export function pagesAreBuilt(folder = FOLDER): boolean {
  return existsSync(folder)
}

/** Serves the files of the pages; null where they have not been built, which is told once by whoever starts the process. */
export async function addPages(app: FastifyInstance, folder = FOLDER): Promise<Pages | null> {
  if (!pagesAreBuilt(folder)) return null
  await app.register(fastifyStatic, { root: folder, serve: false, preCompressed: true })
  app.get<{ Params: { name: string } }>('/assets/:name', async ({ params }, reply) => {
    if (!ASSET.test(params.name)) return reply.callNotFound()
    // Their names hold a hash of what is in them.
    return reply.sendFile(params.name, join(folder, 'assets'), { immutable: true, maxAge: '365d' })
  })
  return {
    send: (reply, page) =>
      reply
        .header('content-security-policy', (page === 'explorer' ? EXPLORER_POLICY : POLICY).join('; '))
        // A popup that is opened from here has to find its opener.
        .header('cross-origin-opener-policy', 'same-origin-allow-popups')
        .header('cache-control', 'no-cache')
        .sendFile(`${page}/index.html`, folder, { cacheControl: false }),
  }
}
