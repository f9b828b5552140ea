import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/** Output folder of the page build; the same relative path from src and from dist. */
const FOLDER = fileURLToPath(new URL('../../../dist/web', import.meta.url))

/** Allows only scripts, styles and connections of this origin: no inline script, no frame, no other host. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
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
