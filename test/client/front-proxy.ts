import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** A client's transports, as the proxy distinguishes them. */
export type Way = 'socket' | 'sse' | 'http'

/** A proxy between a client and the graph, which fails as networks and proxies do. */
export type FrontProxy = {
  /** URL of the graph for the client. */
  readonly url: string
  /** Base URL of the app. */
  target: string
  /** Transports that the proxy answers with 403. */
  readonly refused: Set<Way>
  /** Whether server-sent events are held back until the response ends. */
  buffersEvents: boolean
  /** Bytes of answers that each new connection may carry before it is cut; connections after the last entry have no limit. */
  readonly budgets: number[]
  /** Number of requests by transport. */
  readonly asked: Readonly<Record<Way, number>>
  /** Transports of the open connections. */
  readonly open: readonly Way[]
  /** Cuts all open connections. */
  cut(): void
  /** Drops all further data on open connections, which stay open. */
  silence(): void
  close(): Promise<void>
}

type Held = { readonly way: Way; readonly cut: () => void; readonly silence: () => void }

export async function startFrontProxy(target: string, at = 0): Promise<FrontProxy> {
  const open = new Set<Held>()
  const asked: Record<Way, number> = { socket: 0, sse: 0, http: 0 }
  const server = createServer((incoming, outgoing) => forward(incoming, outgoing))
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex) => upgrade(incoming, socket as Socket))

  const hold = (held: Held, until: Duplex | ServerResponse) => {
    open.add(held)
    until.once('close', () => open.delete(held))
  }
  /** Creates a function that passes bytes until the budget is used up, and then cuts the connection. It returns false from then on. */
  const meter = (cut: () => void) => {
    let left = proxy.budgets.shift() ?? Infinity
    return (chunk: Buffer, pass: (part: Buffer) => void): boolean => {
      const part = chunk.subarray(0, Math.max(0, left))
      left -= chunk.length
      if (part.length > 0) pass(part)
      // Deferred, so that the last part is still sent.
      if (left <= 0) setImmediate(cut)
      return left > 0
    }
  }
  const turnsAway = (way: Way): boolean => {
    asked[way] += 1
    return proxy.refused.has(way)
  }

  const upgrade = (incoming: IncomingMessage, socket: Socket) => {
    socket.on('error', () => {})
    if (turnsAway('socket')) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
      return
    }
    const { hostname, port } = new URL(proxy.target)
    const upstream = connect({ host: hostname, port: Number(port) })
    const cut = () => {
      socket.destroy()
      upstream.destroy()
    }
    const spend = meter(cut)
    upstream.on('error', cut)
    for (const end of [socket, upstream]) end.once('close', cut)
    const lines = incoming.rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('')
    upstream.write(`GET ${incoming.url ?? '/'} HTTP/1.1\r\n${lines}\r\n`)
    let silent = false
    socket.on('data', (chunk: Buffer) => silent || upstream.write(chunk))
    upstream.on('data', (chunk: Buffer) => spend(chunk, (part) => silent || socket.write(part)))
    hold({ way: 'socket', cut, silence: () => (silent = true) }, socket)
  }

  const forward = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const way: Way = incoming.headers.accept === 'text/event-stream' ? 'sse' : 'http'
    if (turnsAway(way)) {
      outgoing.writeHead(403, { connection: 'close' }).end()
      return
    }
    const { method, headers, url = '/' } = incoming
    const upstream = request(`${proxy.target}${url}`, { method, headers, agent: false })
    const cut = () => {
      outgoing.destroy()
      upstream.destroy()
    }
    const spend = meter(cut)
    let silent = false
    upstream.on('error', cut)
    outgoing.once('close', cut)
    hold({ way, cut, silence: () => (silent = true) }, outgoing)
    upstream.once('response', (response) => {
      const chunks: Buffer[] = []
      const buffers = way === 'sse' && proxy.buffersEvents
      if (!buffers) outgoing.writeHead(response.statusCode ?? 502, response.headers).flushHeaders()
      let isWhole = true
      response.on('error', cut)
      response.on('data', (chunk: Buffer) => {
        if (buffers) chunks.push(chunk)
        else isWhole = spend(chunk, (part) => silent || outgoing.write(part))
      })
      response.on('end', () => isWhole && outgoing.end(Buffer.concat(chunks)))
    })
    incoming.pipe(upstream)
  }

  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const proxy: FrontProxy = {
    url: `http://127.0.0.1:${port}/graphql`,
    target,
    refused: new Set(),
    buffersEvents: false,
    budgets: [],
    asked,
    get open() {
      return Array.from(open, ({ way }) => way)
    },
    cut: () => open.forEach((held) => held.cut()),
    silence: () => open.forEach((held) => held.silence()),
    close: async () => {
      open.forEach((held) => held.cut())
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}
