/**
 * A process that sends GraphQL requests over its own connections, like many clients together: at a steady rate whether they are answered or
 * not, or on each connection as soon as it was answered. It runs at low priority, so that the server has precedence.
 */
import { connect, type Socket } from 'node:net'
import { constants, setPriority } from 'node:os'

export type Order = {
  readonly url: string
  readonly query: string
  /** Requests per second; null to send the next one as soon as the last one is answered. */
  readonly perSecond: number | null
  /** Connections that may be open at once. */
  readonly connections: number
  /** Whether each request has a connection of its own. */
  readonly once: boolean
  /** The client addresses that a trusted proxy would report (X-Forwarded-For), in turn. Default: none. */
  readonly addresses?: readonly string[]
}

export type Answers = {
  readonly answered: number
  readonly shed: number
  /** Other answers, and connections that failed. */
  readonly other: number
  /** Largest delay of these clients' own timer, in milliseconds. */
  readonly lag: number
}

const SLICE_MS = 10
/**
 * Connections that are opened in a slice. On a busy machine this process gets little time, and would write its first request only after
 * the server's limit for headers, if it opened all of them at once.
 */
const OPENED_PER_SLICE = 50
const NOTHING: Answers = { answered: 0, shed: 0, other: 0, lag: 0 }

let counts: { -readonly [Name in keyof Answers]: number } = { ...NOTHING }
let end = () => {}

setPriority(constants.priority.PRIORITY_LOW)
process.on('message', (message: Order | 'count' | 'stop') => {
  if (message === 'count') {
    process.send?.(counts)
    counts = { ...NOTHING }
    return
  }
  end()
  if (message === 'stop') process.disconnect()
  else end = ask(message)
})
process.send?.('ready')

/** Sends requests as ordered. Returns the function that stops it. */
function ask({ url, query, perSecond, connections, once, addresses }: Order): () => void {
  const address = new URL(url)
  const questions = (addresses ?? [undefined]).map((client) => written(address, { query, once, client }))
  let asked = 0
  const idle: Socket[] = []
  const open = new Set<Socket>()
  let due = 0
  let last = performance.now()
  let mayOpen = OPENED_PER_SLICE

  const send = () => {
    for (; due >= 1; due -= 1) {
      const socket = idle.pop() ?? (mayOpen > 0 && open.size < connections ? opened() : null)
      if (socket === null) return
      socket.write(questions[asked % questions.length] ?? '')
      asked += 1
    }
  }
  const opened = () => {
    mayOpen -= 1
    const socket = connect({ host: address.hostname, port: Number(address.port), noDelay: true })
    open.add(socket)
    readAnswers(socket, (status) => {
      count(status)
      if (!once) idle.push(socket)
      if (perSecond === null) due = connections
      send()
    })
    socket.on('error', () => count('none'))
    socket.on('close', () => open.delete(socket))
    return socket
  }
  const timer = setInterval(() => {
    const now = performance.now()
    counts.lag = Math.max(counts.lag, now - last - SLICE_MS)
    due = perSecond === null ? connections : due + ((now - last) / 1_000) * perSecond
    last = now
    mayOpen = OPENED_PER_SLICE
    send()
  }, SLICE_MS)
  return () => {
    clearInterval(timer)
    for (const socket of open) socket.destroy()
  }
}

function count(status: string): void {
  if (status === '200') counts.answered += 1
  else if (status === '503') counts.shed += 1
  else counts.other += 1
}

/** Calls back with the status of each answer; every answer has a Content-Length. */
function readAnswers(socket: Socket, onAnswer: (status: string) => void): void {
  let text = ''
  socket.setEncoding('latin1')
  socket.on('data', (part: string) => {
    text += part
    const head = text.indexOf('\r\n\r\n')
    const length = /^content-length: (\d+)/im.exec(text)?.[1]
    if (head === -1 || text.length < head + 4 + Number(length)) return
    onAnswer(text.slice(9, 12))
    text = ''
  })
}

type Question = Pick<Order, 'query' | 'once'> & { readonly client: string | undefined }

function written({ host }: URL, { query, once, client }: Question): string {
  const body = JSON.stringify({ query })
  const lines = [
    'POST /graphql HTTP/1.1',
    `Host: ${host}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(once ? ['Connection: close'] : []),
    ...(client === undefined ? [] : [`X-Forwarded-For: ${client}`]),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}
