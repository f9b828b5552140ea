/** A process that sends the same invalid webhook repeatedly, each as soon as the last one is answered, until it is told to stop. */
import { Agent, request, type OutgoingHttpHeaders } from 'node:http'

type Order = {
  readonly urls: readonly string[]
  readonly connections: number
  readonly body: string
  readonly headers: OutgoingHttpHeaders
}

const agent = new Agent({ keepAlive: true })
const counts = { refused: 0, early: 0, other: 0 }
let stopped = false

process.on('message', (message: Order | 'stop') => {
  if (message === 'stop') stopped = true
  else void flood(message)
})
process.send?.('ready')

async function flood({ urls, connections, body, headers }: Order): Promise<void> {
  await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      const url = urls[index % urls.length] ?? ''
      while (!stopped) {
        const status = await send(url, body, headers)
        if (status === 401) counts.refused += 1
        else if (status === 429) counts.early += 1
        else counts.other += 1
      }
    }),
  )
  agent.destroy()
  process.send?.(counts, () => process.disconnect())
}

/** Returns the status of the answer; 0 if the connection broke. */
function send(url: string, body: string, headers: OutgoingHttpHeaders): Promise<number> {
  return new Promise((resolve) => {
    const outgoing = request(
      url,
      { method: 'POST', agent, headers: { ...headers, 'content-length': Buffer.byteLength(body) } },
      (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
      },
    )
    outgoing.on('error', () => resolve(0))
    outgoing.end(body)
  })
}
