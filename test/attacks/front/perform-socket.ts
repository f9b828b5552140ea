import { setTimeout as sleep } from 'node:timers/promises'
import { closeFrame, openRawPeer, OPCODE, textFrame, type RawPeer } from '../../support/raw-websocket.ts'
import type { SocketAttack } from './attack.ts'

export type SocketOutcome = {
  /** The status with which the upgrade was refused; null for a socket that was opened. */
  readonly refused: number | null
  /** What the server said, frame by frame. */
  readonly frames: readonly { readonly opcode: number; readonly text: string }[]
  /** The code of the server's close frame; null when there was none. */
  readonly closed: number | null
}

/** How long a client that has said everything listens before it says goodbye, and how long it waits for the answer to that. */
const LISTEN_MS = 150
const GOODBYE_MS = 60_000

/** Says everything over one socket, listens for a while, and ends it properly. */
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
      // A pong of WebSocket tells nothing.
      if (opcode !== OPCODE.pong) heard.push({ opcode, text: payload.toString() })
    }
  } catch {
    return heard
  }
}
