/**
 * A process that asks GraphQL over connections of its own, as many clients together do: at a steady pace whether it is
 * answered or not, or each connection as soon as it has been answered. It gives way to the program that it asks.
 */
import { connect, type Socket } from 'node:net'
import { constants, setPriority } from 'node:os'

export type Order = {
  readonly url: string
  readonly query: string
  /** Questions a second; null for the next as soon as the last is answered. */
  readonly perSecond: number | null
  /** Connections that may be open at once. */
  readonly connections: number
  /** Whether each question has a connection of its own. */
  readonly once: boolean
  /** The address that a proxy of ours would have seen. Default: none is named. */
  readonly address?: string
}

export type Answers = {
  readonly answered: number
  readonly shed: number
  /** Other answers, and connections that failed. */
  readonly other: number
  /** How late these clients themselves were at most, in milliseconds. */
  readonly lag: number
}

const SLICE_MS = 10
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

/** Asks as it is told, and gives the function that ends it. */
function ask({ url, query, perSecond, connections, once, address: client }: Order): () => void {
  const address = new URL(url)
  const question = written(address, { query, once, client })
  const idle: Socket[] = []
  const open = new Set<Socket>()
  let due = 0
  let last = performance.now()

  const send = () => {
    for (; due >= 1; due -= 1) {
      const socket = idle.pop() ?? (open.size < connections ? opened() : null)
      if (socket === null) return
      socket.write(question)
    }
  }
  const opened = () => {
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

/** Calls with the status of each answer; every one of them says how long it is. */
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
