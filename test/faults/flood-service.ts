import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { createGzip, gzipSync } from 'node:zlib'

/**
 * A server that answers with 200 MB, in a process of its own so that its memory is not counted with the client's; the last segment of the
 * path selects how. It writes its port as one line to standard output, and runs until it is killed.
 */
const PIECE = Buffer.alloc(65_536, ' ')
const PIECES = 3_200

/** About 200 KB that decompress to 200 MB. */
const BOMB = gzipSync(Buffer.alloc(PIECE.length * PIECES, ' '))

const FLOODS: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  length: (response) => flood(response.writeHead(200, { 'content-length': PIECE.length * PIECES })),
  chunks: (response) => flood(response.writeHead(200)),
  refusal: (response) => flood(response.writeHead(422)),
  bomb: (response) => response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': BOMB.length }).end(BOMB),
  'chunked-bomb': (response) =>
    pipeline(pieces(), createGzip(), response.writeHead(200, { 'content-encoding': 'gzip' }), given),
  'silent-bomb': (response) => response.writeHead(200, { 'content-length': BOMB.length }).end(BOMB),
}

function flood(response: ServerResponse): void {
  pipeline(pieces(), response, given)
}

function pieces(): Readable {
  return Readable.from(Array<Buffer>(PIECES).fill(PIECE))
}

/** The client can disconnect; that error is ignored. */
function given(): void {}

const server = createServer((request, response) => {
  request.resume()
  FLOODS[request.url?.split('/').at(-1) ?? '']?.(response)
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
