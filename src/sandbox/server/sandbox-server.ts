import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { registerApi, type ApiGroup } from '../api/api.ts'
import { v1Balances, v1Deposits } from '../api/v1-accounts.ts'
import { v1Agreements } from '../api/v1-agreements.ts'
import { v1Gateway } from '../api/v1-gateway.ts'
import { v1Payouts } from '../api/v1-payouts.ts'
import { v2Balances, v2Banks } from '../api/v2-accounts.ts'
import { v2Customers } from '../api/v2-customers.ts'
import { v2PayinMethods, v2PayoutMethods } from '../api/v2-methods.ts'
import { v2Payins } from '../api/v2-payins.ts'
import { v2Payouts } from '../api/v2-payouts.ts'
import { v3Links, v3Methods, v3Refund } from '../api/v3-links.ts'
import type { SandboxControl } from '../control/control.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { registerChanges } from './change-feed.ts'
import { registerCheckout } from './checkout-routes.ts'
import { registerControl } from './control-routes.ts'
import { sendNotFound, guardOrigins } from './json-answers.ts'
import { registerPage } from './page-route.ts'

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
  server.setNotFoundHandler(async (_request, reply) => sendNotFound(reply, 'There is nothing here.'))
  void server.register(async (api) => registerApi(api, store, { groups: API_GROUPS, closing }), { prefix: '/api' })
  void server.register(async (checkout) => registerCheckout(checkout, store), { prefix: '/checkout' })
  void server.register(async (own) => {
    guardOrigins(own, hosts)
    await registerPage(own)
    registerChanges(own, store.changes, closing)
    await own.register(async (controls) => registerControl(controls, control), { prefix: '/sandbox' })
  })
  return server
}

export type ServerOptions = {
  /** Aborts pending waits. */
  closing: AbortSignal
  /** Additional host names that may reach the page and the control endpoints, besides those of this machine. */
  hosts: readonly string[]
}
