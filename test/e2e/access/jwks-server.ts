import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An issuer that publishes keys on loopback. `fetches` counts the requests. */
export type JwksServer = {
  readonly url: string
  fetches: number
  /** Status and JSON text of every answer. */
  answer: { status: number; body: string }
  publish(...keys: object[]): void
  /** Function that answers requests instead; null again after `publish`. */
  respond: ((response: ServerResponse) => void) | null
  close(): Promise<void>
}

/** Starts an issuer without published keys. */
export async function startJwksServer(): Promise<JwksServer> {
  const server = createServer((_request, response) => {
    issuer.fetches += 1
    if (issuer.respond !== null) return issuer.respond(response)
    response.writeHead(issuer.answer.status, { 'content-type': 'application/json', location: `${issuer.url}/other` })
    return response.end(issuer.answer.body)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const issuer: JwksServer = {
    url: `http://127.0.0.1:${port}/keys`,
    fetches: 0,
    answer: { status: 200, body: '{"keys":[]}' },
    respond: null,
    publish(...keys) {
      issuer.respond = null
      issuer.answer = { status: 200, body: JSON.stringify({ keys }) }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return issuer
}
