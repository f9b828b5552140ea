import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { limitBodyTime, slowBody } from '../../../../src/http/connections/body-time.ts'

let server: Server
let sockets: Socket[]
/** The paths of the requests that were too slow, in their order, and what waits for the next one. */
let slow: string[]
let wake: () => void

beforeEach(async () => {
  sockets = []
  slow = []
  wake = () => {}
  const onSlow = ({ url = '', socket }: IncomingMessage) => {
    slow.push(url)
    socket.destroy()
    wake()
  }
  const answer = limitBodyTime(
    (request, response) => {
      request.resume().once('end', () => response.end('read'))
    },
    { milliseconds: 100, onSlow },
  )
  server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})

/** Sends a request whose body lacks its last byte. */
function begin(path: string): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => {})
  socket.write(`POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\nx`)
  return socket
}

const nextSlow = () => new Promise<void>((resolve) => (wake = resolve))

it('a body that does not end is too slow, and one of an upload has more time', async () => {
  begin('/identity-documents?grant=a')
  for (const path of ['/graphql', '/identity-documents-of-others']) {
    const next = nextSlow()
    begin(path)
    await next
  }
  expect(slow).toEqual(['/graphql', '/identity-documents-of-others'])
})

it('a body that ended, and a request without one, are not too slow', async () => {
  const { port } = server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}/graphql`
  const answers = [await fetch(address, { method: 'POST', body: 'whole' }), await fetch(address)]
  expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(['read', 'read'])
  const next = nextSlow()
  begin('/last')
  await next
  expect(slow).toEqual(['/last'])
})

it('the error is the one that Node raises for it', () => {
  expect(slowBody().code).toBe('ERR_HTTP_REQUEST_TIMEOUT')
})
