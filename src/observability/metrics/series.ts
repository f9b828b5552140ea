import { Counter, type Histogram, type Registry } from 'prom-client'

/** A label, such as a route or a status. */
type LabelValue = string | number

type Description = {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
}

type Series = { readonly labels: Record<string, LabelValue>; count: number; sum: number; readonly buckets: number[] }

/** Series of one metric: what comes from outside, such as a code of an extension, must not make more of them. */
const MAX_SERIES = 2_000
const OTHER = 'other'

/** Finds series by the values of their labels, level by level: the library hashes all labels on each call, which shows in the cost of a request. */
class SeriesByLabels {
  readonly all: Series[] = []
  readonly #root = new Map<LabelValue, unknown>()
  readonly #names: readonly string[]
  readonly #buckets: number

  constructor(names: readonly string[], buckets = 0) {
    this.#names = names
    this.#buckets = buckets
  }

  of(values: readonly LabelValue[]): Series {
    let found: unknown = this.#root
    for (const value of values) {
      found = (found as Map<LabelValue, unknown>).get(value)
      if (found === undefined) return this.#add(values)
    }
    return found as Series
  }

  #add(given: readonly LabelValue[]): Series {
    const values = this.all.length < MAX_SERIES ? given : given.map(() => OTHER)
    const labels = Object.fromEntries(this.#names.map((name, index) => [name, values[index] ?? '']))
    const made: Series = { labels, count: 0, sum: 0, buckets: Array.from({ length: this.#buckets }, () => 0) }
    let level = this.#root
    for (const value of values.slice(0, -1)) {
      const next = (level.get(value) as typeof level | undefined) ?? new Map<LabelValue, unknown>()
      level.set(value, next)
      level = next
    }
    const last = values.at(-1) ?? ''
    const known = level.get(last) as Series | undefined
    if (known !== undefined) return known
    level.set(last, made)
    this.all.push(made)
    return made
  }
}

/** Creates a counter, and returns what counts: the values of its labels are given in their order. */
export function createCount(registry: Registry, description: Description): (...values: LabelValue[]) => void {
  const series = new SeriesByLabels(description.labelNames)
  const only = description.labelNames.length === 0 ? series.of(['']) : null
  // Counted here until the next scrape.
  const counter: Counter = new Counter({
    ...description,
    registers: [registry],
    collect() {
      for (const one of series.all) {
        counter.inc(one.labels, one.count)
        one.count = 0
      }
    },
  })
  return (...values) => {
    const one = only ?? series.of(values)
    one.count += 1
  }
}

type HistogramDescription = Description & { readonly buckets: readonly number[] }

/** Creates a histogram, and returns what observes: first the figure, then the values of its labels in their order. */
export function createHistogram(
  registry: Registry,
  description: HistogramDescription,
): (figure: number, ...values: LabelValue[]) => void {
  const { buckets, labelNames } = description
  const series = new SeriesByLabels(labelNames, buckets.length)
  // Without labels it is there before the first observation, as the library's own.
  const only = labelNames.length === 0 ? series.of(['']) : null
  const get = async () => ({
    ...description,
    type: 'histogram',
    aggregator: 'sum',
    values: valuesOf(description, series),
  })
  registry.registerMetric({ ...description, type: 'histogram', get } as unknown as Histogram)
  return (figure, ...values) => {
    const one = only ?? series.of(values)
    one.count += 1
    one.sum += figure
    for (let index = buckets.length - 1; index >= 0 && figure <= (buckets[index] ?? 0); index -= 1)
      one.buckets[index] = (one.buckets[index] ?? 0) + 1
  }
}

function valuesOf({ name, buckets }: HistogramDescription, series: SeriesByLabels): unknown[] {
  const metricName = `${name}_bucket`
  return series.all.flatMap(({ labels, count, sum, buckets: counts }) => [
    ...counts.map((value, index) => ({ metricName, labels: { ...labels, le: String(buckets[index]) }, value })),
    { metricName, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ])
}
