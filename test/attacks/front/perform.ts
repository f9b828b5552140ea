import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack, HttpAttack } from './attack.ts'
import { readAnswers, type HttpAnswers } from './http-answers.ts'
import { performSocket, type SocketOutcome } from './perform-socket.ts'

/** The outcome of an attack. */
export type Outcome = ({ readonly kind: 'http' } & HttpAnswers) | ({ readonly kind: 'socket' } & SocketOutcome)

/** Milliseconds within which complete requests must be answered, on a busy machine too. */
const ANSWER_MS = 60_000
/** How long to wait for an answer to an incomplete request, which may never come, and for events after the head of a stream. */
const PATIENCE_MS = 150
const LINGER_MS = 150

/** Carries out an attack to its end. */
export async function perform(attack: Attack, url: string): Promise<Outcome> {
  if (attack.kind === 'socket') return { kind: 'socket', ...(await performSocket(attack, url)) }
  return { kind: 'http', ...(await exchange(attack, url)) }
}

async function exchange(attack: HttpAttack, url: string): Promise<HttpAnswers> {
  const socket = await connected(url)
  const { promise, resolve } = Promise.withResolvers<HttpAnswers>()
  let bytes = Buffer.alloc(0)
  let lingering: NodeJS.Timeout | undefined
  const look = (ended: boolean) => {
    const found = readAnswers(bytes, attack.methods, ended)
    const last = found.answers.at(-1)
    const isAll = found.answers.length >= attack.methods.length && last?.complete === true
    if (ended || isAll || found.fault !== null) resolve(found)
    else if (last !== undefined && isStream(last.headers)) lingering ??= setTimeout(() => resolve(found), LINGER_MS)
  }
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk])
    look(false)
  })
  socket.once('close', () => look(true))
  const answered = send(socket, attack).then(() =>
    sleep(attack.whole ? ANSWER_MS : PATIENCE_MS, undefined, { ref: false }),
  )
  void answered.then(() => resolve(readAnswers(bytes, attack.methods, false)))
  const answers = await promise
  clearTimeout(lingering)
  socket.destroy()
  return answers
}

function isStream(headers: ReadonlyMap<string, readonly string[]>): boolean {
  return headers.get('content-type')?.[0]?.startsWith('text/event-stream') === true
}

async function send(socket: Socket, { chunks, pauseMs }: HttpAttack): Promise<void> {
  for (const chunk of chunks) {
    if (!socket.writable) return
    socket.write(chunk)
    if (pauseMs > 0) await sleep(pauseMs)
  }
}

/** Opens a connection. Rejects if that fails; later errors are ignored, since `close` follows them. */
export async function connected(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  socket.on('error', () => {})
  return socket
}
