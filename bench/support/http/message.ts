import { once } from 'node:events'
import { connect } from 'node:net'

/** An HTTP/1.1 response as received over the connection. */
export type RawAnswer = {
  readonly status: number
  /** Names as received. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
  /** Length of the response in bytes, header included. */
  readonly bytes: number
}

export type PostOptions = {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Returns a POST request with a JSON body, as an HTTP/1.1 client with keep-alive connections writes it. The body must be ASCII. */
export function jsonPost({ path, headers, body }: PostOptions): string {
  const all = {
    host: '127.0.0.1',
    'content-type': 'application/json',
    'content-length': String(body.length),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`POST ${path} HTTP/1.1`, ...lines, '', body].join('\r\n')
}

/** Sends one request over a new connection. Rejects if the response has no content-length, or is incomplete. */
export async function exchange(url: string, request: string): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(request)
  try {
    let received = Buffer.alloc(0)
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      received = Buffer.concat([received, chunk])
      const answer = parseAnswer(received)
      if (answer !== null) return answer
    }
    throw new Error(`The connection ended in the middle of an answer: ${received.subarray(0, 200).toString()}`)
  } finally {
    socket.destroy()
  }
}

/** Returns null if the response is incomplete. */
function parseAnswer(received: Buffer): RawAnswer | null {
  const headerEnd = received.indexOf('\r\n\r\n')
  if (headerEnd === -1) return null
  const [statusLine = '', ...lines] = received.toString('latin1', 0, headerEnd).split('\r\n')
  const headers = lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const)
  const length = headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1]
  if (length === undefined) throw new Error(`An answer has no content-length: ${statusLine}`)
  const bytes = headerEnd + 4 + Number(length)
  if (received.length < bytes) return null
  return { status: Number(statusLine.split(' ')[1]), headers, body: received.subarray(headerEnd + 4, bytes), bytes }
}
