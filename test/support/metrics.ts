/** One line of `/metrics`. */
export type Sample = {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Returns the samples of a process. */
export async function scrape(url: string): Promise<Sample[]> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Array.from(text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm), ([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries(Array.from(labels.matchAll(/(\w+)="([^"]*)"/g), ([, label, of]) => [label, of])),
    value: Number(value),
  }))
}

/** Returns the sum of the samples of a name that have these labels; 0 without one. */
export function sumOf(samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>> = {}): number {
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0)
}
