/** A profile as V8 writes it; times in microseconds. */
export type Profile = {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string }
    readonly children?: readonly number[]
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

export type Share = { readonly part: string; readonly share: number }

/** Parts of the program by file. A sample belongs to the part of its innermost function with a match; the first matching part counts. */
const PARTS: readonly (readonly [part: string, files: RegExp])[] = [
  ['SQLite: begin and commit (writing the log)', /store\/sqlite\/(?:sqlite-connection|fsync-guard)/],
  ['SQLite: statements', /store\/sqlite\/sqlite-dialect/],
  ['rows: columns and texts of what is loaded and stored', /store\/(?:rows|encoding)\//],
  ['ledger: decisions', /src\/(?:ledger|domain)\/(?!exact-json)/],
  ['batches: queue, loads, undo', /store\/(?:decide|group-commit)/],
  ['reads, and streams', /src\/streams\/|store\/queries|node_modules\/kysely|store\/sqlite\/read-thread/],
  ['HMAC and hashes', /webhooks\/signature|internal\/crypto/],
  ['JSON, report and redaction', /exact-json|upstream\/wire/],
  ['metrics', /node_modules\/prom-client|src\/observability\/metrics|watch-refusals|webhook-figures/],
  ['log line', /node_modules\/(?:pino|sonic-boom)|src\/observability\/log/],
  ['GraphQL', /src\/graphql\/|graphql-plan|node_modules\/graphql/],
  ['webhook handler', /src\/webhooks\//],
  ['HTTP: hooks of ours', /src\/http\//],
  ['HTTP: Fastify', /node_modules\/(?:fastify|find-my-way|fast-|avvio|@fastify)/],
  ['HTTP: Node', /node:(?:_http|net|internal\/stream|events|internal\/timers|internal\/process|_tls|stream)/],
  ['start', /internal\/(?:modules|bootstrap)/],
]

/** Returns the share of each part of the thread's busy time within the last seconds of a profile, the largest first. */
export function sharesOf({ nodes, samples, timeDeltas }: Profile, seconds: number): Share[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const partOf = (sample: number): string => {
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const { url = '', functionName = '' } = byId.get(id)?.callFrame ?? {}
      if (functionName === '(garbage collector)') return 'garbage collection'
      const part = PARTS.find(([, files]) => files.test(url))
      if (part !== undefined) return part[0]
    }
    return 'other'
  }
  const times = new Map<string, number>()
  let left = seconds * 1e6
  for (let index = samples.length - 1; index >= 0 && left > 0; index -= 1) {
    const [sample = 0, time = 0] = [samples[index], timeDeltas[index]]
    left -= time
    if (byId.get(sample)?.callFrame.functionName === '(idle)') continue
    const part = partOf(sample)
    times.set(part, (times.get(part) ?? 0) + time)
  }
  const busy = [...times.values()].reduce((sum, time) => sum + time, 0)
  return Array.from(times, ([part, time]) => ({ part, share: time / busy })).toSorted((a, b) => b.share - a.share)
}
