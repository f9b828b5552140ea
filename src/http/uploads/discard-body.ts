import type { IncomingMessage } from 'node:http'

export type DiscardLimits = { readonly bytes: number; readonly milliseconds: number }

/**
 * Reads the rest of a body and drops it, up to a number of bytes and a time. A browser that still sends when its connection is closed reports a
 * network error instead of the answer.
 */
export function discardBody(request: IncomingMessage, { bytes, milliseconds }: DiscardLimits): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve()
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  let left = bytes
  const count = (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) resolve()
  }
  request.on('data', count)
  for (const event of ['end', 'close', 'error'] as const) request.once(event, () => resolve())
  request.resume()
  return promise.finally(() => {
    clearTimeout(timer)
    request.off('data', count)
    request.pause()
  })
}
