import { writeFileSync } from 'node:fs'
import { type Figure, median, shown, table } from '../figures.ts'
import type { ServerProcess } from '../processes.ts'
import { exchange, type RawAnswer } from './message.ts'
import { type Measured, measureLoad, type Requests, sampleOf, writeRequests } from './wrk.ts'

/** A server that answers the requests of a case. */
export type Contender = { readonly name: string; readonly server: ServerProcess }

/** A question to several servers, which give the same answers. The first server is the product. */
export type Case = { readonly title: string; readonly requests: Requests; readonly contenders: readonly Contender[] }

export type CompareOptions = {
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
  /** Of the files that are needed meanwhile. */
  readonly folder: string
  readonly onProgress: (step: string) => void
}

export type Compared = {
  readonly title: string
  readonly results: readonly { readonly name: string; readonly rounds: readonly Measured[] }[]
}

/** Requests that are looked at before a case is measured. */
const SAMPLES = 25
const WARM_UP_SECONDS = 6
/** Between the first numbers of two loads: more than a load sends. */
const NUMBERS = 4_000_000
let loads = 0

/** Measures the servers of a case in turn, round by round, once all have given the same answers. */
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

/** Throws unless all servers of a case answer with 200 and the same body. Gives the bytes of an answer of each. */
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

/** Some servers end their JSON with a line feed. */
function textOf({ body }: RawAnswer): string {
  return body.toString().trimEnd()
}

/** Headers that belong to one answer or to a connection, and that every server writes itself. */
const OWN_HEADERS = new Set(['connection', 'content-length', 'date', 'keep-alive'])

/** Writes what the peer of `peers/fastify.mjs` sends: the headers of an answer, and its body unless it reads one from a database. */
export function writeAnswer(path: string, { headers, body }: RawAnswer): void {
  const sent = headers.filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()))
  writeFileSync(path, JSON.stringify({ headers: Object.fromEntries(sent), body: body.toString() }))
}

/** How the product stands to a peer by requests per second and by CPU time, each beside the goal; none when one was not measured. */
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

/** What was measured of each server of each case: a table, and what its columns mean. */
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
