import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sendJson } from './answers.ts'

/**
 * Keeps other pages out of what has no credentials. A request must name this machine, or one of `hosts`, as its host: a
 * foreign name that was made to lead here (DNS rebinding) would make its page one of ours. And one that changes something
 * must not come from a page of another origin.
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

/** An address in the place of a name cannot be made to lead elsewhere, so the one that was connected to is ours. */
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

/** Programs send no Origin; browsers send it with everything that is no mere reading. */
function isOurOrigin({ headers: { origin, host } }: FastifyRequest): boolean {
  if (origin === undefined) return true
  const page = URL.parse(origin)
  return page !== null && page.origin === origin && page.host === host
}
