import type { ServerResponse } from 'node:http'

/** Milliseconds within which a peer must read some of a response. */
export const UNREAD_MS = 10_000

/**
 * Destroys the connection of a peer that has read nothing of a response for so many milliseconds, because the response stays in
 * memory. A slow peer that reads some of it is kept, and so is one that waits for a part that is not there yet. Meanwhile nothing is
 * read from the peer, because what it sends would also count as activity of the connection. Called when the response has been
 * written, or its stream has begun.
 */
export function cutUnreadAnswer(response: ServerResponse, milliseconds: number): void {
  const { socket } = response
  // Most responses have been passed to the system by now; others, such as files, are in the next turn of the event loop.
  if (socket === null || (response.writableEnded && socket.writableLength === 0)) return
  setImmediate(() => {
    if (response.writableFinished || response.destroyed) return
    socket.setTimeout(milliseconds)
    const onIdle = () => {
      if (response.writableLength > 0) socket.destroy()
      // The next part is not there yet, which is no fault of the peer.
      else socket.setTimeout(milliseconds)
    }
    response.on('timeout', onIdle)
    response.once('finish', () => {
      response.off('timeout', onIdle)
      socket.resume()
      // By now Node has set the keep-alive timeout, unless a pipelined request follows.
      if (socket.timeout === milliseconds) socket.setTimeout(0)
    })
    socket.pause()
  })
}
