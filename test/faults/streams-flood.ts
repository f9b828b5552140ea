import { frame, OPCODE, openRawPeer, textFrame } from '../support/raw-websocket.ts'

/** A WebSocket client that sends pings as fast as they are accepted, and never reads the answers. */
export type Flood = {
  /** Returns the number of bytes handed to the operating system so far. */
  written(): number
  /** Resolves when the server has ended the connection. */
  readonly closed: Promise<void>
}

/**
 * Starts such a client. A `message` is a ping of the protocol, whose payload is returned; a `frame` is a ping frame of WebSocket itself.
 */
export async function floodWithPings(url: string, kind: 'message' | 'frame'): Promise<Flood> {
  const { connection, ended } = await openRawPeer(url)
  const ping =
    kind === 'message'
      ? textFrame({ type: 'ping', payload: { text: 'x'.repeat(60_000) } })
      : Buffer.concat(Array<Buffer>(500).fill(frame(OPCODE.ping, 'x'.repeat(125))))
  let bytes = 0
  let over = false
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const end = () => {
    over = true
    resolve()
  }
  // Nothing is read, so only a failed write shows that the connection has ended.
  connection.on('error', end)
  void ended.then(end)
  connection.pause()
  const pump = () => {
    while (!over) {
      bytes += ping.length
      if (!connection.write(ping)) break
    }
    if (!over) connection.once('drain', pump)
  }
  pump()
  return { written: () => bytes, closed }
}
