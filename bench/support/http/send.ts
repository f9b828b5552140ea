import { connect, type Socket } from 'node:net'
import { monotonicMs } from '../clock.ts'

export type SendOptions = {
  readonly connections: number
  /** Requests per second, whether or not earlier ones are answered; null: each connection sends as soon as it is answered. */
  readonly perSecond: number | null
}

/** Times of the requests, in their order, in milliseconds (`monotonicMs`). */
export type Sent = {
  /** When each request was sent or, at a fixed rate, was due. */
  readonly sentAt: readonly number[]
  /** Duration from then to the answer. */
  readonly took: readonly number[]
  readonly seconds: number
}

type Connection = { readonly socket: Socket; text: string; index: number; idle: boolean }

const SOON_MS = 1

/** Sends HTTP/1.1 requests over keep-alive connections. Rejects on an answer that is not 200, or does not contain the text `expected`. */
export async function sendAll(
  url: string,
  requests: readonly string[],
  { connections: count, perSecond }: SendOptions,
  expected = '',
): Promise<Sent> {
  const { hostname, port } = new URL(url)
  const connections: Connection[] = []
  const sentAt: number[] = []
  const took: number[] = []
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let next = 0
  let answers = 0
  let begun = 0

  const sendNext = (connection: Connection) => {
    connection.idle = next >= requests.length || dueAt(next) > monotonicMs()
    if (connection.idle) return
    connection.index = next
    sentAt[next] = perSecond === null ? monotonicMs() : dueAt(next)
    connection.socket.write(requests[next] ?? '')
    next += 1
  }
  const dueAt = (index: number) => (perSecond === null ? 0 : begun + (index * 1_000) / perSecond)
  const onAnswer = (connection: Connection, answer: string) => {
    took[connection.index] = monotonicMs() - (sentAt[connection.index] ?? 0)
    answers += 1
    if (!answer.startsWith('HTTP/1.1 200') || !answer.includes(expected))
      reject(new Error(`Not as expected: ${answer}`))
    if (answers === requests.length) resolve()
    sendNext(connection)
  }
  for (let index = 0; index < count; index += 1) connections.push(await open())
  begun = monotonicMs()
  for (const connection of connections) sendNext(connection)
  const timer = perSecond === null ? undefined : setInterval(sendDue, SOON_MS)
  try {
    await promise
  } finally {
    clearInterval(timer)
    for (const { socket } of connections) socket.destroy()
  }
  return { sentAt, took, seconds: (monotonicMs() - begun) / 1_000 }

  function sendDue(): void {
    for (const connection of connections) if (connection.idle) sendNext(connection)
  }

  async function open(): Promise<Connection> {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    const connection: Connection = { socket, text: '', index: 0, idle: true }
    socket.on('error', reject)
    socket.on('close', () => {
      if (!connection.idle) reject(new Error('A connection was closed in place of an answer.'))
    })
    socket.on('data', (chunk) => {
      connection.text += chunk.toString('latin1')
      if (!isWhole(connection.text)) return
      const answer = connection.text
      connection.text = ''
      onAnswer(connection, answer)
    })
    await new Promise<void>((opened) => socket.once('connect', () => opened()))
    return connection
  }
}

function isWhole(answer: string): boolean {
  const headerEnd = answer.indexOf('\r\n\r\n')
  if (headerEnd === -1) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(answer)?.[1] ?? '0'
  return answer.length >= headerEnd + 4 + Number(length)
}
