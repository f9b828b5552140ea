import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** The ways on which a client of the graph comes. */
export type Way = 'socket' | 'sse' | 'http'

/** What stands between a client and the graph in an office, a train or a tunnel. */
export type FrontProxy = {
  /** Of the graph, as the client is told. */
  readonly url: string
  /** Where the app really is. */
  target: string
  /** Ways that are answered with 403 here. */
  readonly refused: Set<Way>
  /** Server-sent events are kept until they end. */
  buffersEvents: boolean
  /** While it is set, everything is answered with 503 and this many seconds to wait. */
  retryAfterS: number | null
  /** How many bytes of answers each coming connection may carry before it is cut; after the last, there is no limit. */
  readonly budgets: number[]
  /** How often each way was asked for. */
  readonly asked: Readonly<Record<Way, number>>
  /** Ways of the connections that are open. */
  readonly open: readonly Way[]
  /** Cuts everything that is open. */
  cut(): void
  /** Lets nothing through any more on what is open, without a word. */
  silence(): void
  close(): Promise<void>
}

type Held = { readonly way: Way; readonly cut: () => void; readonly silence: () => void }

export async function startFrontProxy(target: string): Promise<FrontProxy> {
  const open = new Set<Held>()
  const asked: Record<Way, number> = { socket: 0, sse: 0, http: 0 }
  const server = createServer((incoming, outgoing) => forward(incoming, outgoing))
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex) => upgrade(incoming, socket as Socket))

  const hold = (held: Held, until: Duplex | ServerResponse) => {
    open.add(held)
    until.once('close', () => open.delete(held))
  }
  /** Gives the function that lets bytes pass until the budget is spent, and then cuts. False when it was. */
  const meter = (cut: () => void) => {
    let left = proxy.budgets.shift() ?? Infinity
    return (chunk: Buffer, pass: (part: Buffer) => void): boolean => {
      const part = chunk.subarray(0, Math.max(0, left))
      left -= chunk.length
      if (part.length > 0) pass(part)
      // In a moment, so that the part still gets out.
      if (left <= 0) setImmediate(cut)
      return left > 0
    }
  }
  const turnAway = (way: Way): string | null => {
    asked[way] += 1
    if (proxy.refused.has(way)) return '403 Forbidden'
    return proxy.retryAfterS === null ? null : '503 Service Unavailable'
  }

  const upgrade = (incoming: IncomingMessage, socket: Socket) => {
    socket.on('error', () => {})
    const refusal = turnAway('socket')
    if (refusal !== null) {
      socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
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
    const refusal = turnAway(way)
    if (refusal !== null) {
      const again = refusal.startsWith('503') ? { 'retry-after': String(proxy.retryAfterS) } : {}
      outgoing.writeHead(Number(refusal.slice(0, 3)), { connection: 'close', ...again }).end()
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

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const proxy: FrontProxy = {
    url: `http://127.0.0.1:${port}/graphql`,
    target,
    refused: new Set(),
    buffersEvents: false,
    retryAfterS: null,
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
