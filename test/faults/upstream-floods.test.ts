import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Transport } from '../../src/upstream/client/transport.ts'
import { faultOf, open, site } from '../e2e/upstream/open.ts'
import { rounds } from './rounds.ts'

const SERVICE = fileURLToPath(new URL('./flood-service.ts', import.meta.url))
const ROUNDS = rounds({ few: 10, many: 200 })
const WARM_UP = rounds({ few: 20, many: 600 })
const MOST_GROWTH = 10 * 1_048_576
/** Garbage that is not collected yet is included for a while; a body that was read completely would exceed this. */
const MOST_AT_ONCE = 64 * 1_048_576

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const child = spawn(process.execPath, [SERVICE], { stdio: ['ignore', 'pipe', 'inherit'] })
let baseUrl: string
beforeAll(async () => {
  const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  baseUrl = `http://127.0.0.1:${port}/api`
})
afterAll(() => child.kill('SIGKILL'))

// promise(upstream): Floods, decompression bombs and endless bodies block neither memory nor the event loop.
describe('an answer of 200 MB', () => {
  it.each([
    ['with its length', 'length', { kind: 'unknown', reason: 'too-large', httpStatus: 200 }],
    ['in chunks', 'chunks', { kind: 'unknown', reason: 'too-large', httpStatus: 200 }],
    ['that says no', 'refusal', { kind: 'refused', httpStatus: 422, message: null }],
    ['as 200 KB of gzip', 'bomb', { kind: 'unknown', reason: 'encoded', httpStatus: 200 }],
    ['as gzip in chunks', 'chunked-bomb', { kind: 'unknown', reason: 'encoded', httpStatus: 200 }],
    ['as gzip that does not say so', 'silent-bomb', { kind: 'unknown', reason: 'not-utf8', httpStatus: 200 }],
  ])('%s costs no memory', async (_how, path, known) => {
    const transport = open(baseUrl)
    const attack = () => attacked(transport, path)
    const first = await attack()
    expect(first.map(({ detail }) => detail)).toEqual([known, known].map((detail) => expect.objectContaining(detail)))
    // Memory that is allocated once is reused: only growth with every attack counts.
    for (let round = 0; round < WARM_UP; round += 1) await attack()
    const [before, peakBefore] = memory()
    for (let round = 0; round < ROUNDS; round += 1) await attack()
    const [after, peak] = memory()
    expect(after - before).toBeLessThan(MOST_GROWTH)
    expect(peak - peakBefore).toBeLessThan(MOST_AT_ONCE)
  })
})

/** Returns the resident bytes after a garbage collection, and the peak so far. */
function memory(): [held: number, peak: number] {
  collectGarbage()
  return [process.memoryUsage().rss, process.resourceUsage().maxRSS * 1024]
}

/** Sends a GET and a POST that receive the same answer. Returns their faults. */
function attacked(transport: Transport, path: string) {
  return Promise.all([
    faultOf(transport.request(site(), { method: 'GET', path: `/${path}` })),
    faultOf(transport.request(site(), { method: 'POST', path: `/${path}`, body: {} })),
  ])
}
