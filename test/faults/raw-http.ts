import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** What was received on a connection on which raw bytes were sent. */
export type RawAnswer = {
  /** Of every response in order, including 100. */
  readonly statuses: readonly number[]
  readonly text: string
}

/**
 * Opens a connection, lets `speak` write to it, and returns everything received until the server closed it. Rejects if the server has not
 * done so after `milliseconds`, since everything that is sent here must end the connection.
 */
export async function rawExchange(
  url: string,
  speak: string | Buffer | ((socket: Socket) => void),
  milliseconds = 5_000,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  const chunks: Buffer[] = []
  // A server that closes during a write resets the connection, which is an expected end.
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => void chunks.push(chunk))
  const { promise: closed, resolve: onClosed, reject } = Promise.withResolvers<void>()
  socket.once('close', () => onClosed())
  await once(socket, 'connect')
  const timer = setTimeout(() => reject(new Error('The server has left the connection open.')), milliseconds)
  if (typeof speak === 'function') speak(socket)
  else socket.write(speak)
  try {
    await closed
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
  const text = Buffer.concat(chunks).toString('latin1')
  const statuses = Array.from(text.matchAll(/HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n/g), ([, status]) => Number(status))
  return { statuses, text }
}
