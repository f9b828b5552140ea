/**
 * Watches a link up to a moment, ends the watch in one of the ways, and then lets the process end by itself, once nothing is left open.
 * Prints what came, and the milliseconds from the end of the watch to that of the process.
 */
import { writeSync } from 'node:fs'
import { watchPaymentLink, type Transport } from '../../packages/client/src/index.ts'

const [url = '', id = '', statusToken = '', transport = 'socket', moment = '', way = ''] = process.argv.slice(2)
const control = new AbortController()
const watch = watchPaymentLink(id, {
  url,
  statusToken,
  transports: [transport as Transport],
  signal: control.signal,
  pollMs: 60_000,
  timing: { retryMs: 60_000, retryMaxMs: 60_000 },
  onConnection: (connection) => {
    if (connection === moment) end()
  },
})
const all = collect()
if (moment === 'at once') end()
const kinds = await all
const endedAt = performance.now()
process.once('exit', () => writeSync(1, JSON.stringify({ kinds, openMs: performance.now() - endedAt })))

async function collect(): Promise<string[]> {
  const found: string[] = []
  for await (const { kind } of watch) {
    found.push(kind)
    if (kind === moment) end()
  }
  return found
}

function end(): void {
  if (way === 'abort') control.abort()
  else void watch.return?.()
}
