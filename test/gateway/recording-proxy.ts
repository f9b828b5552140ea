import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'

/** A recorded GraphQL request. */
export type RecordedRequest = {
  readonly headers: IncomingMessage['headers']
  readonly body: { readonly query: string; readonly variables?: Record<string, unknown> }
}

/** A proxy between the gateway and the subgraph, which records the requests. */
export type RecordingProxy = {
  readonly url: string
  readonly requests: readonly RecordedRequest[]
  /** The headers of every WebSocket upgrade. */
  readonly upgrades: readonly IncomingMessage['headers'][]
  /** Deletes the records. */
  clear(): void
  close(): Promise<void>
}

/** Starts a proxy. `target` returns the subgraph's origin, and is called for each request. */
export async function startRecordingProxy(target: () => string): Promise<RecordingProxy> {
  const requests: RecordedRequest[] = []
  const upgrades: IncomingMessage['headers'][] = []
  const sockets = new Set<Socket>()
  const server = createServer((incoming, outgoing) => {
    forward(target(), incoming, outgoing).then(
      (body) => requests.push({ headers: incoming.headers, body: asked(incoming, body) }),
      () => outgoing.destroy(),
    )
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    upgrades.push(incoming.headers)
    tunnel(target(), { incoming, socket, head })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    upgrades,
    clear() {
      requests.length = 0
      upgrades.length = 0
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** Returns the operation, from the body or from the URL: gateways begin streams over HTTP with GET. */
function asked({ url = '/' }: IncomingMessage, body: string): RecordedRequest['body'] {
  if (body !== '') return JSON.parse(body) as RecordedRequest['body']
  return { query: new URL(url, 'http://localhost').searchParams.get('query') ?? '' }
}

/** Forwards a request and its answer. Returns the request's body. */
async function forward(origin: string, incoming: IncomingMessage, outgoing: ServerResponse): Promise<string> {
  const body = Buffer.concat(await incoming.toArray())
  const { method, headers, url } = incoming
  const onward = request(new URL(url ?? '/', origin), { method, headers, agent: false })
  onward.on('error', () => outgoing.destroy())
  outgoing.once('close', () => onward.destroy())
  onward.on('response', (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers)
    response.pipe(outgoing)
  })
  onward.end(body)
  return body.toString()
}

type Upgrade = { readonly incoming: IncomingMessage; readonly socket: Socket; readonly head: Buffer }

/** Forwards an upgrade unchanged, and then every byte in both directions. */
function tunnel(origin: string, { incoming, socket, head }: Upgrade): void {
  const { hostname, port } = new URL(origin)
  const onward = connect(Number(port), hostname)
  const lines = incoming.rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${incoming.rawHeaders[index + 1]}`] : [],
  )
  onward.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  onward.write(head)
  onward.pipe(socket).pipe(onward)
  for (const [one, other] of [
    [onward, socket],
    [socket, onward],
  ] as const) {
    one.on('error', () => other.destroy())
    one.once('close', () => other.destroy())
  }
}
