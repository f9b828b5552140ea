/**
 * Watches a link up to a moment, ends the watch in one of the ways, and then lets the process end by itself, once nothing is left open.
 * Prints what came.
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
  pollMs: 600_000,
  timing: { retryMs: 600_000, retryMaxMs: 600_000 },
  onConnection: (connection) => {
    if (connection === moment) end()
  },
})
const all = collect()
if (moment === 'at once') end()
writeSync(1, JSON.stringify(await all))

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
