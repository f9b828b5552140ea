import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { poisoned, type Canaries } from './canaries.ts'

/** A proxy of the payments API that fills every answer with canaries, or replaces it. */
export type PoisonedService = {
  /** Replaces the payments API's URL; ends in `/api`. */
  readonly url: string
  /** The real origin of the payments API. */
  target: string
  /** Replaces the payments API's answers; null to forward them. */
  instead: { readonly status: number; readonly body: string } | null
  /** Answers so far. */
  readonly answered: number
  close(): Promise<void>
}

export async function startPoisonedService(canaries: Canaries): Promise<PoisonedService> {
  let answered = 0
  const headers = {
    'content-type': 'application/json',
    'x-request-id': `a sentence with ${canaries.word('answer.request id')}`,
    'x-reason': canaries.word('answer.header'),
    'set-cookie': `${canaries.word('answer.cookie name')}=${canaries.word('answer.cookie')}`,
    server: canaries.word('answer.server'),
  }
  const end = (outgoing: ServerResponse, status: number, body: string) => {
    answered += 1
    outgoing.writeHead(status, canaries.word('answer.reason phrase'), headers).end(body)
  }
  const server = createServer((incoming, outgoing) => {
    const { instead, target } = service
    if (instead === null) return forward(target, incoming, (status, body) => end(outgoing, status, poison(body)))
    incoming.resume()
    return end(outgoing, instead.status, instead.body)
  })
  const poison = (body: string): string => {
    if (!body.startsWith('{') && !body.startsWith('[')) return body
    const json = JSON.parse(body) as Record<string, never>
    if (typeof json['access_token'] === 'string') canaries.learn('answer.access token', json['access_token'])
    return JSON.stringify(poisoned(canaries, 'answer', json))
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const service: PoisonedService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    target: '',
    instead: null,
    get answered() {
      return answered
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return service
}

function forward(target: string, incoming: IncomingMessage, done: (status: number, body: string) => void): void {
  const { method, headers, url } = incoming
  const onward = request(`${target}${url}`, { method, headers, agent: false }, (answer) => {
    const chunks: Buffer[] = []
    answer.on('data', (chunk: Buffer) => chunks.push(chunk))
    answer.on('end', () => done(answer.statusCode ?? 502, Buffer.concat(chunks).toString()))
  })
  onward.on('error', () => incoming.destroy())
  incoming.pipe(onward)
}
