import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cpuSecondsOfThreads, waitedSecondsOf } from '../cpu.ts'
import type { ServerProcess } from '../processes.ts'

/** Requests of one load: a list that is sent repeatedly, or the text before and after a number that differs in each request. */
export type Requests = { readonly list: readonly string[] } | { readonly before: string; readonly after: string }

export type LoadOptions = {
  readonly connections: number
  /** A whole number. */
  readonly seconds: number
  /** A file that `writeRequests` has written. */
  readonly requests: string
  /** Number of the first request. */
  readonly first: number
  /** Bytes of each answer, header included; answers of another size are an error. */
  readonly answerBytes: number
}

/** Measurement of one server under the load of one round. */
export type Measured = {
  readonly requests: number
  readonly perSecond: number
  /** CPU time of the server for each request, in microseconds. */
  readonly cpuUs: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Share of the time for which the server's main thread was ready to run but had no core. */
  readonly waited: number
  /** Share of one core that the server used. */
  readonly load: number
}

type Result = Record<'requests' | 'microseconds' | 'bytes' | 'refused' | 'failed' | 'p50' | 'p99', number>

const SCRIPT = fileURLToPath(new URL('./requests.lua', import.meta.url))
/** Answers may differ by a digit in a header, and the last ones of a run are incomplete. */
const SIZE_TOLERANCE = 0.02
const run = promisify(execFile)

/** Returns one request of a load, for a check of its answer. */
export function sampleOf(requests: Requests, index: number): string {
  if ('list' in requests) return requests.list[index % requests.list.length] ?? ''
  return `${requests.before}${1_000_000 + index}.25${requests.after}`
}

/** Writes the requests for `measureLoad` to a file. Requests must be ASCII. */
export function writeRequests(path: string, requests: Requests): void {
  const texts = 'list' in requests ? requests.list : [requests.before, requests.after]
  const counted = 'list' in requests ? '' : ', counted = true'
  // A JSON string of ASCII is also a Lua string.
  writeFileSync(path, `return { ${texts.map((text) => JSON.stringify(text)).join(',\n')}${counted} }\n`)
}

/** Throws if wrk(1) is not installed. */
export function requireWrk(): void {
  if (spawnSync('wrk', ['-v']).error !== undefined) throw new Error('wrk is not installed: `apt-get install wrk`.')
}

/**
 * Measures a server; every connection sends as soon as it is answered. Throws if an answer is not 200, not of the expected size, or
 * missing.
 */
export async function measureLoad(server: ServerProcess, options: LoadOptions): Promise<Measured> {
  const before = { cpu: cpuSecondsOfThreads(server.pid), waited: waitedSecondsOf(server.pid) }
  const args = ['-t1', `-c${options.connections}`, `-d${options.seconds}s`, '--latency', '-s', SCRIPT, server.url]
  const { stdout } = await run('wrk', [...args, '--', options.requests, String(options.first)])
  const cpu = cpuSecondsOfThreads(server.pid) - before.cpu
  const waited = waitedSecondsOf(server.pid) - before.waited
  const result = readResult(stdout)
  const fault = faultOf(result, options.answerBytes)
  if (fault !== null) throw new Error(fault)
  const seconds = result.microseconds / 1e6
  return {
    requests: result.requests,
    perSecond: result.requests / seconds,
    cpuUs: (cpu * 1e6) / result.requests,
    p50Ms: result.p50 / 1_000,
    p99Ms: result.p99 / 1_000,
    waited: waited / seconds,
    load: cpu / seconds,
  }
}

function readResult(output: string): Result {
  const json = /^RESULT (.*)$/m.exec(output)?.[1]
  if (json === undefined) throw new Error(`wrk printed no result:\n${output}`)
  return JSON.parse(json) as Result
}

/** Returns a sentence that says what is wrong with the answers; null if every one was 200 and of the expected size. */
function faultOf(
  result: Pick<Result, 'requests' | 'bytes' | 'refused' | 'failed'>,
  answerBytes: number,
): string | null {
  const { requests, bytes, refused, failed } = result
  if (refused > 0) return `${refused} of ${requests} requests were not answered with 200.`
  if (failed > 0) return `${failed} of ${requests} requests were not answered.`
  if (requests === 0) return 'No request was answered.'
  const size = bytes / requests
  const isExpected = Math.abs(size / answerBytes - 1) <= SIZE_TOLERANCE
  return isExpected ? null : `Answers have ${Math.round(size)} bytes in the mean in place of ${answerBytes}.`
}
