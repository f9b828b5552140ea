import type { HttpAttack } from './attack.ts'

/** A request before it is serialized. */
export type RequestParts = {
  readonly method: string
  readonly path: string
  /** As they are written; a name can occur twice. */
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Buffer | null
  /** The announced Content-Length. Default: the length of the body. */
  readonly announced?: number
  /** Size in bytes of the chunks of the body, which is then sent without a Content-Length. */
  readonly chunked?: number
}

/** Returns the bytes of a request, without any check of its parts. */
export function writeRequest(request: RequestParts): Buffer {
  const { method, path, headers, body, announced = body?.length, chunked } = request
  const length = chunked === undefined ? ['Content-Length', String(announced)] : ['Transfer-Encoding', 'chunked']
  const host = headers.some(([name]) => /^host$/i.test(name)) ? [] : [['Host', 'localhost']]
  const lines = [...host, ...headers, ...(announced === undefined ? [] : [length])]
  const head = [`${method} ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)].join('\r\n')
  const content = body === null ? Buffer.alloc(0) : chunked === undefined ? body : inChunks(body, chunked)
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), content])
}

/** Returns an attack of complete requests, pipelined on one connection. */
export function wholeAttack(name: string, requests: readonly RequestParts[]): HttpAttack {
  const bytes = Buffer.concat(requests.map(writeRequest))
  return {
    kind: 'http',
    name,
    told: bytes.toString(),
    methods: requests.map(({ method }) => method),
    chunks: [bytes],
    pauseMs: 0,
    whole: true,
  }
}

function inChunks(body: Buffer, size: number): Buffer {
  const count = Math.ceil(body.length / size)
  const chunks = Array.from({ length: count }, (_, index) => body.subarray(index * size, (index + 1) * size))
  const written = chunks.flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)}\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...written, Buffer.from('0\r\n\r\n')])
}
