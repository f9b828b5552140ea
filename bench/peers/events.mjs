/** What the peers with sockets have in common: `POST /event?topic=…` with a text, and the readiness probe. */
import { createServer } from 'node:http'

/** @param {(topic: string, text: Buffer) => void} publish */
export function createEventServer(publish) {
  return createServer((request, response) => {
    const url = new URL(request.url, 'http://127.0.0.1')
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      if (url.pathname === '/event') publish(url.searchParams.get('topic'), Buffer.concat(chunks))
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 2 }).end('ok')
    })
  })
}
