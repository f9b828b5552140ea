import type { Socket } from 'node:net'

/** Bytes that are read after the last response: all pictures of an upload are fewer. */
const MAX_BYTES = 20 * 1024 * 1024
/** Milliseconds for them: what other bodies may take as well. */
const MAX_MS = 15_000

/**
 * Closes a connection in stages (RFC 9112, section 9.6), because its peer may still be sending. If it were closed at once, the system would
 * answer the rest with a reset, and the peer would see that instead of the response. So the rest is read and dropped until the peer closes,
 * or up to a number of bytes and a time.
 */
export function closeLingering(socket: Socket): void {
  socket.end()
  if (socket.readableEnded) return socket.destroySoon()
  const timer = setTimeout(() => socket.destroy(), MAX_MS).unref()
  const end = socket.bytesRead + MAX_BYTES
  socket.on('data', () => {
    if (socket.bytesRead > end) socket.destroy()
  })
  socket.once('end', () => socket.destroySoon())
  socket.once('close', () => clearTimeout(timer))
  socket.resume()
}
