import { frame, OPCODE, openRawPeer, textFrame } from '../support/raw-websocket.ts'

/** A peer of a WebSocket that sends one ping after another as fast as they are taken, and reads none of the answers. */
export type Flood = {
  /** Bytes that were handed to the system so far. */
  written(): number
  /** Resolves when the server has ended the connection. */
  readonly closed: Promise<void>
}

/** A ping is a message of the protocol, with a payload that comes back, or a control frame of WebSocket itself. */
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
  // Nothing is read, so that only what is written tells that the connection has gone.
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
