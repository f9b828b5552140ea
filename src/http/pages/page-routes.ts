import type { FastifyInstance } from 'fastify'
import type { Pages } from './pages.ts'

export type PageRoutesOptions = {
  readonly pages: Pages
  /** Origin of the sandbox; null where the payments API itself is asked. The start page and the shop belong to the sandbox. */
  readonly sandboxOrigin: string | null
}

/** The addresses of the pages. The console is everywhere: it can do what the token can that is given to it, and no more. */
export function addPageRoutes(app: FastifyInstance, { pages, sandboxOrigin }: PageRoutesOptions): void {
  app.get('/console', async (_request, reply) => pages.send(reply, 'console'))
  if (sandboxOrigin === null) return
  app.get('/', async (_request, reply) => pages.send(reply, 'start'))
  app.get('/shop', async (_request, reply) => pages.send(reply, 'shop'))
  app.get('/sandbox', async (_request, reply) => reply.redirect(`${sandboxOrigin}/sandbox`))
}
