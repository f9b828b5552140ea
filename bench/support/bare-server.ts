/**
 * A plain Node server, without a framework, for `bench/overload.ts`. Each answer takes the CPU time that the argument names, in
 * milliseconds. It refuses as the program does: work for half a second is queued at most, and a refusal is sent after a second. Its loss of
 * throughput under too many requests is the cost of connections, parser and kernel.
 */
import { createServer, type ServerResponse } from 'node:http'

const WAITING_MS = 500
const HOLD_MS = 1_000
const ANSWER = JSON.stringify({ data: 'x'.repeat(1_000) })
const REFUSAL = JSON.stringify({
  errors: [{ message: 'There is too much to do.', extensions: { code: 'OVERLOADED' } }],
})
/** A unit of work. Each answer does as many units as it takes for its CPU time. */
const PIECE = { list: Array.from({ length: 20 }, (_, index) => ({ code: `C${index}`, exponent: 2, enabled: true })) }

const costMs = Number(process.argv[2])
const pieces = calibrate(costMs)
const waiting: ServerResponse[] = []
let working = false

const server = createServer((_request, response) => {
  if (waiting.length >= WAITING_MS / costMs) {
    setTimeout(refuse, HOLD_MS, response)
    return
  }
  waiting.push(response)
  if (!working) setImmediate(answerNext)
  working = true
})
server.listen(0, '127.0.0.1', 4_096, () => process.send?.(server.address()))
process.on('disconnect', () => process.exit())

function answerNext(): void {
  const response = waiting.shift()
  work(pieces)
  if (response !== undefined) send(response, 200, ANSWER)
  working = waiting.length > 0
  if (working) setImmediate(answerNext)
}

function refuse(response: ServerResponse): void {
  if (!response.destroyed) send(response.setHeader('retry-after', 1), 503, REFUSAL)
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
}

function work(count: number): void {
  for (let piece = 0; piece < count; piece += 1) JSON.parse(JSON.stringify(PIECE))
}

/** Returns the number of units that take `milliseconds` of CPU time. */
function calibrate(milliseconds: number): number {
  const tried = 20_000
  work(tried)
  const begun = process.threadCpuUsage().user
  work(tried)
  return Math.max(1, Math.round((tried * milliseconds * 1_000) / (process.threadCpuUsage().user - begun)))
}
