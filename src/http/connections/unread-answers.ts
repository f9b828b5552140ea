import type { ServerResponse } from 'node:http'

/** Milliseconds in which a peer must take some of an answer. */
export const UNREAD_MS = 10_000

/**
 * Destroys the connection of a peer that has taken nothing of an answer for so many milliseconds: its answers stay in memory. A
 * slow peer that takes some of it goes on. Nothing is read from a peer that has not taken its answer, since whatever it sends
 * counts as activity of the connection, too. Called when the answer has been written, or its stream has begun.
 */
export function cutUnreadAnswer(response: ServerResponse, milliseconds: number): void {
  const { socket } = response
  // Most answers have been given to the system by now, and others, such as files, in the next turn.
  if (socket === null || (response.writableEnded && socket.writableLength === 0)) return
  setImmediate(() => {
    if (response.writableFinished || response.destroyed) return
    socket.setTimeout(milliseconds)
    response.once('finish', () => {
      socket.resume()
      // Node has set the time for which an idle connection is kept by now, unless a pipelined request follows.
      if (socket.timeout === milliseconds) socket.setTimeout(0)
    })
    socket.pause()
  })
}
