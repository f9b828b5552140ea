import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Text that the tests put into every place of an answer where the payments API can have its own text. */
export const CANARY = 'cAnArY7Q'

export type CanaryAnswer = {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A proxy of the payments API that can replace answers by ones with the canary in the status text, the headers and the body. */
export type CanaryService = {
  /** URL in place of the payments API's URL; ends in `/api`. */
  readonly url: string
  /** URL of the payments API, e.g. `http://127.0.0.1:4010`. */
  target: string
  /** Answer to all requests; null forwards all requests. */
  answer: CanaryAnswer | null
  /** Method and path, without the query, of the requests that got `answer`. */
  readonly answered: readonly string[]
  close(): Promise<void>
}

export async function startCanaryService(): Promise<CanaryService> {
  const answered: string[] = []
  const server = createServer((incoming, outgoing) => {
    const { answer, target } = service
    if (answer === null) return forward(target, incoming, outgoing)
    incoming.resume()
    answered.push(`${incoming.method} ${incoming.url?.split('?')[0]}`)
    const headers = { 'x-reason': CANARY, 'set-cookie': `${CANARY}=1`, server: CANARY, ...answer.headers }
    outgoing.writeHead(answer.status, CANARY, headers).end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const service: CanaryService = {
    url: `http://127.0.0.1:${port}/api`,
    target: '',
    answer: null,
    answered,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return service
}

function forward(target: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, headers } = incoming
  const onward = request(`${target}${incoming.url}`, { method, headers, agent: false }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(outgoing)
  })
  onward.on('error', () => outgoing.destroy())
  incoming.pipe(onward)
}
