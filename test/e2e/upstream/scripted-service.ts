import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

type SeenRequest = {
  /** For example `GET /api/v3/payin_methods HTTP/1.1`. */
  readonly line: string
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  readonly connection: number
}

/** What the service does with a request: writes to the raw socket, closes it, or leaves it open without an answer. */
export type Script = (socket: Socket, request: SeenRequest) => void

/**
 * A service that writes raw bytes, so that it can break every rule of HTTP. Each request runs the next script of the list; the last one
 * repeats.
 */
export type ScriptedService = {
  readonly baseUrl: string
  readonly port: number
  readonly requests: readonly SeenRequest[]
  /** Connections made so far. */
  connections(): number
  /** Resolves when this many requests have arrived. */
  arrived(count: number): Promise<void>
  close(): Promise<void>
}

/** Starts the service on loopback, on a port chosen by the system. */
export async function startScriptedService(...scripts: Script[]): Promise<ScriptedService> {
  const requests: SeenRequest[] = []
  const sockets = new Set<Socket>()
  const waiting = new Map<number, () => void>()
  let connections = 0

  const server = createServer((socket) => {
    connections += 1
    const connection = connections
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    readRequests(socket, connection, (request) => {
      requests.push(request)
      scripts[Math.min(requests.length, scripts.length) - 1]?.(socket, request)
      waiting.get(requests.length)?.()
    })
  })
  const port = await listening(server)

  return {
    baseUrl: `http://127.0.0.1:${port}/api`,
    port,
    requests,
    connections: () => connections,
    arrived: async (count) => {
      if (requests.length >= count) return
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.set(count, resolve)
      await promise
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Returns a port on which nothing listens. */
export async function refusingPort(): Promise<number> {
  const server = createServer()
  const port = await listening(server)
  server.close()
  await once(server, 'close')
  return port
}

/** Returns a script that sends a complete answer with its length. */
export function answer(status: number, body = '', headers: Record<string, string> = {}): Script {
  const all = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return (socket) => void socket.write(`HTTP/1.1 ${status} Scripted\r\n${lines.join('')}\r\n${body}`)
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function readRequests(socket: Socket, connection: number, seen: (request: SeenRequest) => void): void {
  let buffer = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    buffer = Buffer.concat([buffer, typeof chunk === 'string' ? Buffer.from(chunk) : chunk])
    const end = buffer.indexOf('\r\n\r\n')
    if (end === -1) return
    const [line = '', ...fields] = buffer.subarray(0, end).toString('latin1').split('\r\n')
    const headers = new Map(fields.map((field) => headerOf(field)))
    const length = Number(headers.get('content-length') ?? 0)
    if (buffer.length < end + 4 + length) return
    const body = buffer.subarray(end + 4, end + 4 + length).toString('utf8')
    buffer = buffer.subarray(end + 4 + length)
    seen({ line, headers, body, connection })
  })
}

function headerOf(field: string): [string, string] {
  const colon = field.indexOf(':')
  return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
}
