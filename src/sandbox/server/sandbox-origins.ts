import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sendJson } from './json-answers.ts'

/**
 * Rejects requests from other pages to endpoints without credentials. A request must name this machine, or one of `hosts`,
 * as its host: with DNS rebinding, a foreign name that resolves to this machine would make its page same-origin. A request
 * that changes something must not come from a page of another origin.
 */
export function guardOrigins(server: FastifyInstance, hosts: readonly string[]): void {
  const named = new Set(hosts.map((host) => host.toLowerCase()))
  server.addHook('onRequest', async (request, reply) => {
    if (!isOurHost(request, named))
      return sendJson(reply, 403, { errors: { message: 'The sandbox is not known by this host name.' } })
    if (request.method !== 'GET' && !isOurOrigin(request))
      return sendJson(reply, 403, { errors: { message: 'A page of another origin may change nothing here.' } })
    return undefined
  })
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** DNS rebinding needs a host name, so the IP address that the client connected to is a trusted host. */
function isOurHost(request: FastifyRequest, named: ReadonlySet<string>): boolean {
  const name = hostNameOf(request.headers.host)
  if (name === undefined) return false
  const bare = name.replace(/^\[|\]$/g, '')
  const address = request.socket.localAddress?.replace(/^::ffff:/, '')
  return LOOPBACK.test(name) || named.has(name) || named.has(bare) || bare === address
}

function hostNameOf(host: string | undefined): string | undefined {
  return URL.parse(`http://${host ?? ''}`)?.hostname
}

/** Programs send no Origin header; browsers send it with every request except plain reads. */
function isOurOrigin({ headers: { origin, host } }: FastifyRequest): boolean {
  if (origin === undefined) return true
  const page = URL.parse(origin)
  return page !== null && page.origin === origin && page.host === host
}
