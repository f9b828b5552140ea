import type { FastifyInstance } from 'fastify'
import type { Pages } from './pages.ts'

export type PageRoutesOptions = {
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
