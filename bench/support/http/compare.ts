import { writeFileSync } from 'node:fs'
import { type Figure, median, shown, table } from '../figures.ts'
import type { ServerProcess } from '../processes.ts'
import { exchange, type RawAnswer } from './message.ts'
import { type Measured, measureLoad, type Requests, sampleOf, writeRequests } from './wrk.ts'

/** A server that answers the requests of a case. */
export type Contender = { readonly name: string; readonly server: ServerProcess }

/** The same requests to several servers, which return the same answers. The first server is the product. */
export type Case = { readonly title: string; readonly requests: Requests; readonly contenders: readonly Contender[] }

export type CompareOptions = {
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
  /** Folder for temporary files. */
  readonly folder: string
  readonly onProgress: (step: string) => void
}

export type Compared = {
  readonly title: string
  readonly results: readonly { readonly name: string; readonly rounds: readonly Measured[] }[]
}

/** Number of requests whose answers are compared before a case is measured. */
const SAMPLES = 25
const WARM_UP_SECONDS = 6
/** Distance between the first numbers of two loads. It is more than a load sends. */
const NUMBERS = 4_000_000
let loads = 0

/** Measures the servers of a case in turns, round by round, after a check that all return the same answers. */
export async function compare(each: Case, options: CompareOptions): Promise<Compared> {
  const { rounds, seconds, connections, folder, onProgress } = options
  const requests = `${folder}/requests.lua`
  writeRequests(requests, each.requests)
  const answerBytes = await checkAnswers(each)
  const measure = ({ server, name }: Contender, index: number, length: number) => {
    const load = {
      connections,
      seconds: length,
      requests,
      first: loads++ * NUMBERS,
      answerBytes: answerBytes[index] ?? 0,
    }
    return measureLoad(server, load).catch((error: unknown) => {
      throw new Error(`${each.title}, ${name}: ${String(error)}`)
    })
  }
  onProgress(`${each.title}: warming up`)
  for (const [index, contender] of each.contenders.entries()) await measure(contender, index, WARM_UP_SECONDS)
  const results = each.contenders.map(({ name }) => ({ name, rounds: [] as Measured[] }))
  for (let round = 0; round < rounds; round += 1) {
    onProgress(`${each.title}: round ${round + 1} of ${rounds}`)
    for (const [index, contender] of each.contenders.entries())
      results[index]?.rounds.push(await measure(contender, index, seconds))
  }
  return { title: each.title, results }
}

/**
 * Returns the number of bytes of an answer of each server. Throws if a server does not answer with 200, or not with the same body as the
 * first.
 */
async function checkAnswers({ title, requests, contenders }: Case): Promise<number[]> {
  const bytes: number[] = []
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const answers = await Promise.all(contenders.map(({ server }) => exchange(server.url, sampleOf(requests, sample))))
    const [first] = answers.map(textOf)
    for (const [index, answer] of answers.entries()) {
      const name = contenders[index]?.name
      if (answer.status !== 200 || /"errors"/.test(textOf(answer)))
        throw new Error(`${title}: ${name} answered ${answer.status}: ${textOf(answer).slice(0, 500)}`)
      if (textOf(answer) !== first)
        throw new Error(
          `${title}: ${name} answered otherwise than ${contenders[0]?.name}:\n${textOf(answer)}\n${first}`,
        )
      bytes[index] = answer.bytes
    }
  }
  return bytes
}

/** Returns the body without the line feed at the end, which some servers add. */
function textOf({ body }: RawAnswer): string {
  return body.toString().trimEnd()
}

/** Headers of one answer or of a connection, which every server sets itself. */
const OWN_HEADERS = new Set(['connection', 'content-length', 'date', 'keep-alive'])

/** Writes the headers and the body that `peers/fastify.mjs` sends. The peer ignores the body if it has one recorded for each request. */
export function writeAnswer(path: string, { headers, body }: RawAnswer): void {
  const sent = headers.filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()))
  writeFileSync(path, JSON.stringify({ headers: Object.fromEntries(sent), body: body.toString() }))
}

/**
 * Returns the ratios of the product to a peer by requests per second and by CPU time, with the goal; none if one of them was not measured.
 */
export function ratiosTo(peer: string, { title, results }: Compared, goal: number | null): Figure[] {
  const [ours, theirs] = ['product', peer].map((name) => results.find((result) => result.name === name)?.rounds)
  if (ours === undefined || theirs === undefined) return []
  const byRound = (ratio: (our: Measured, their: Measured) => number) =>
    median(ours.flatMap((our, round) => (theirs[round] === undefined ? [] : [ratio(our, theirs[round])])))
  const figure = { decimals: 2, goal: goal === null ? null : ({ kind: 'at least', value: goal } as const) }
  return [
    {
      ...figure,
      name: `${title} ÷ ${peer}, by requests/s`,
      value: byRound((our, their) => our.perSecond / their.perSecond),
    },
    { ...figure, name: `${title} ÷ ${peer}, by CPU time`, value: byRound((our, their) => their.cpuUs / our.cpuUs) },
  ]
}

const LEGEND = `“Its core” is how much of a core the server used, “waited” the share of the time for which its main thread was ready to run and
had no core, because of other programs: above a few hundredths, rates and latencies are worse than on a machine of one's own; CPU times
hardly depend on it. Latencies are those of connections that send as soon as they are answered.`

/** Returns a table of the measurements of each server in each case, and an explanation of its columns. */
export function describeRounds(compared: readonly Compared[]): string[] {
  const header = ['case', 'server', 'requests/s', 'from', 'to', 'CPU µs each', 'p50 ms', 'p99 ms', 'its core', 'waited']
  const rows = compared.flatMap(({ title, results }) =>
    results.map(({ name, rounds }) => {
      const of = (value: (measured: Measured) => number, decimals = 0) => shown(median(rounds.map(value)), decimals)
      const rates = rounds.map(({ perSecond }) => perSecond)
      return [
        title,
        name,
        of(({ perSecond }) => perSecond),
        shown(Math.min(...rates)),
        shown(Math.max(...rates)),
        of(({ cpuUs }) => cpuUs),
        of(({ p50Ms }) => p50Ms, 1),
        of(({ p99Ms }) => p99Ms, 1),
        of(({ load }) => load, 2),
        of(({ waited }) => waited, 2),
      ]
    }),
  )
  return [table(header, rows), LEGEND]
}
