import { setTimeout as sleep } from 'node:timers/promises'
import { closeFrame, openRawPeer, OPCODE, textFrame, type RawPeer } from '../../support/raw-websocket.ts'
import type { SocketAttack } from './attack.ts'

export type SocketOutcome = {
  /** The status that refused the upgrade; null if the socket was opened. */
  readonly refused: number | null
  /** The server's frames, in order. */
  readonly frames: readonly { readonly opcode: number; readonly text: string }[]
  /** The code of the server's close frame; null when there was none. */
  readonly closed: number | null
}

/** How long the client listens after its last frame before it closes, and how long it then waits for the server's close frame. */
const LISTEN_MS = 150
const GOODBYE_MS = 60_000

/** Sends all frames on one socket, listens for a while, and closes it with a close frame. */
export async function performSocket({ frames, headers, pauseMs }: SocketAttack, url: string): Promise<SocketOutcome> {
  const peer = await openRawPeer(url, { headers }).catch((error: Error & { status?: number }) => error.status ?? 0)
  if (typeof peer === 'number') return { refused: peer, frames: [], closed: null }
  const heard = listen(peer)
  for (const frame of frames) {
    peer.write(typeof frame === 'string' ? textFrame(frame) : frame)
    if (pauseMs > 0) await sleep(pauseMs)
  }
  await Promise.race([peer.closed, sleep(LISTEN_MS)])
  peer.write(closeFrame(1000))
  const closed = await Promise.race([peer.closed, sleep(GOODBYE_MS, 'never' as const, { ref: false })])
  peer.connection.destroy()
  return { refused: null, frames: await heard, closed: closed === 'never' ? -1 : closed }
}

async function listen(peer: RawPeer): Promise<{ opcode: number; text: string }[]> {
  const heard: { opcode: number; text: string }[] = []
  try {
    for (;;) {
      const { opcode, payload } = await peer.next()
      // Pong frames carry no information.
      if (opcode !== OPCODE.pong) heard.push({ opcode, text: payload.toString() })
    }
  } catch {
    return heard
  }
}
