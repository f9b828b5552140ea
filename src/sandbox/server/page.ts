import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/** Where the build puts the pages; the same from src and from dist. */
const FOLDER = fileURLToPath(new URL('../../../dist/web', import.meta.url))

/** Scripts, styles and connections of our own, and nothing else: no inline script, no frame, no other host. */
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

/** The sandbox's own page at `/` and `/sandbox`, with its files; a text that says so where they have not been built. */
export async function registerPage(server: FastifyInstance, folder = FOLDER): Promise<void> {
  const isBuilt = existsSync(join(folder, 'sandbox/index.html'))
  if (isBuilt) {
    await server.register(fastifyStatic, {
      root: join(folder, 'assets'),
      prefix: '/assets/',
      index: false,
      preCompressed: true,
      // Their names hold a hash of what is in them.
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
