import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy of the payments API that can hold back an answer after the payments API has sent it. */
export type UpstreamProxy = {
  /** URL in place of the payments API's URL; ends in `/api`. */
  readonly url: string
  /** URL of the payments API, e.g. `http://127.0.0.1:4010`. */
  target: string
  /** All requests so far, as method and path. */
  readonly calls: readonly string[]
  /** When each of them came, by `performance.now()`. */
  readonly instants: readonly number[]
  /** Number of requests without an answer. */
  readonly underWay: number
  /** Holds back the answer to the next GET of a link's detail. */
  holdNextRead(): HeldAnswer
  /** Holds back the answer to the next GET of a path after `/api`, with any query. */
  holdNextGet(path: string): HeldAnswer
  /** Holds back the answer to the next POST to a path after `/api`. */
  holdNextPost(path: string): HeldAnswer
  /** Drops the next POST to a path after `/api`, so that the payments API does not receive it. Resolves when the proxy has received it. */
  swallowNextPost(path: string): Promise<void>
  close(): Promise<void>
}

export type HeldAnswer = {
  /** Resolves when the payments API has answered, and the proxy holds the answer back. */
  readonly answered: Promise<void>
  /** Forwards the answer. */
  release(): void
}

export async function startUpstreamProxy(): Promise<UpstreamProxy> {
  const held: Hold[] = []
  const seen: string[] = []
  const instants: number[] = []
  let underWay = 0
  const server = createServer((incoming, outgoing) => {
    const call = `${incoming.method} ${incoming.url}`
    seen.push(call)
    instants.push(performance.now())
    underWay += 1
    outgoing.once('close', () => (underWay -= 1))
    const index = held.findIndex(({ calls }) => calls.test(call))
    const [hold] = index === -1 ? [] : held.splice(index, 1)
    if (hold?.swallows === true) return hold.answered()
    return forward(proxy.target, incoming, outgoing, async () => {
      hold?.answered()
      await hold?.released
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const proxy: UpstreamProxy = {
    url: `http://127.0.0.1:${port}/api`,
    target: '',
    calls: seen,
    instants,
    get underWay() {
      return underWay
    },
    holdNextRead: () => holdNext(held, /^GET .*\/v3\/payin_links\/[\w-]+$/),
    holdNextGet: (path) => holdNext(held, new RegExp(`^GET .*${path}(\\?|$)`)),
    holdNextPost: (path) => holdNext(held, new RegExp(`^POST .*${path}$`)),
    swallowNextPost: (path) => holdNext(held, new RegExp(`^POST .*${path}$`), true).answered,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return proxy
}

type Hold = {
  readonly calls: RegExp
  readonly swallows: boolean
  readonly answered: () => void
  readonly released: Promise<void>
}

function holdNext(held: Hold[], calls: RegExp, swallows = false): HeldAnswer {
  const { promise: answered, resolve: onAnswered } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  held.push({ calls, swallows, answered: onAnswered, released })
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
