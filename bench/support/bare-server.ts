/**
 * A server of Node's own, without a framework, that answers what `bench/overload.ts` asks at the cost that it is told, and
 * refuses as the program does: what waits is half a second's worth, and a refusal is told after a second. What it keeps of its
 * usual answers under too many requests is what the connections, the parser and the kernel leave.
 */
import { createServer, type ServerResponse } from 'node:http'

const WAITING_MS = 500
const HOLD_MS = 1_000
const ANSWER = JSON.stringify({ data: 'x'.repeat(1_000) })
const REFUSAL = JSON.stringify({
  errors: [{ message: 'There is too much to do.', extensions: { code: 'OVERLOADED' } }],
})
/** A piece of work, of which as many are done for an answer as it costs. */
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

/** How many pieces take so many milliseconds of processor time. */
function calibrate(milliseconds: number): number {
  const tried = 20_000
  work(tried)
  const begun = process.threadCpuUsage().user
  work(tried)
  return Math.max(1, Math.round((tried * milliseconds * 1_000) / (process.threadCpuUsage().user - begun)))
}
