import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A way to the service on which an answer can be kept back after the service has given it. */
export type UpstreamProxy = {
  /** What stands in for the service's address; ends in `/api`. */
  readonly url: string
  /** Where the service really is, e.g. `http://127.0.0.1:4010`. */
  target: string
  /** Keeps back the answer to the next GET of a link's detail. */
  holdNextRead(): HeldAnswer
  /** Keeps back the answer to the next POST to a path after `/api`. */
  holdNextPost(path: string): HeldAnswer
  close(): Promise<void>
}

export type HeldAnswer = {
  /** Resolves when the service has answered, and the answer waits here. */
  readonly answered: Promise<void>
  /** Lets the answer go on. */
  release(): void
}

export async function startUpstreamProxy(): Promise<UpstreamProxy> {
  const held: Hold[] = []
  const server = createServer((incoming, outgoing) => {
    const call = `${incoming.method} ${incoming.url}`
    const index = held.findIndex(({ calls }) => calls.test(call))
    const [hold] = index === -1 ? [] : held.splice(index, 1)
    forward(proxy.target, incoming, outgoing, async () => {
      hold?.answered()
      await hold?.released
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const proxy: UpstreamProxy = {
    url: `http://127.0.0.1:${port}/api`,
    target: '',
    holdNextRead: () => holdNext(held, /^GET .*\/v3\/payin_links\/[\w-]+$/),
    holdNextPost: (path) => holdNext(held, new RegExp(`^POST .*${path}$`)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return proxy
}

type Hold = { readonly calls: RegExp; readonly answered: () => void; readonly released: Promise<void> }

function holdNext(held: Hold[], calls: RegExp): HeldAnswer {
  const { promise: answered, resolve: onAnswered } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  held.push({ calls, answered: onAnswered, released })
  return { answered, release }
}

function forward(
  target: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  ready: () => Promise<void>,
): void {
  const { method, headers } = incoming
  const onward = request(`${target}${incoming.url}`, { method, headers, agent: false }, (answer) => {
    const chunks: Buffer[] = []
    answer.on('data', (chunk: Buffer) => chunks.push(chunk))
    answer.on('end', () => {
      ready().then(
        () => outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(Buffer.concat(chunks)),
        () => outgoing.destroy(),
      )
    })
  })
  onward.on('error', () => outgoing.destroy())
  incoming.pipe(onward)
}
