import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createLoaders } from '../../../src/graphql/loaders.ts'

type Sources = Parameters<typeof createLoaders>[0]

/** Creates loaders whose store knows every second key, and records the sizes of the reads. */
function recordingLoaders() {
  const sizes: number[] = []
  const byIds = async (ids: readonly string[]) => {
    sizes.push(ids.length)
    return ids.filter((id) => id.endsWith('0')).map((id) => ({ id }))
  }
  const payers = async (ids: readonly string[]) => new Map((await byIds(ids)).map((row) => [row.id, row]))
  const store = { inbox: { byIds }, agreements: { payers } }
  return { sizes, loaders: createLoaders({ store } as unknown as Sources) }
}

const keys = (count: number) => Array.from({ length: count }, (_, index) => `${randomUUID()} ${index % 2}`)

it.each([
  [1, [1]],
  [100, [100]],
  [101, [100, 1]],
  [1_000, Array.from({ length: 10 }, () => 100)],
])('%i keys that are asked for at once are read in slices, and each has its own row', async (count, slices) => {
  for (const name of ['deliveryById', 'agreementPayer'] as const) {
    const { sizes, loaders } = recordingLoaders()
    const asked = keys(count)
    const rows = await Promise.all(asked.map((key) => loaders[name].load(key)))
    expect(rows).toEqual(asked.map((id) => (id.endsWith('0') ? { id } : null)))
    expect(sizes).toEqual(slices)
  }
})

it('requests of others are served between two slices', async () => {
  const { sizes, loaders } = recordingLoaders()
  const reading = loaders.deliveryById.loadMany(keys(1_000))
  const seen = new Set<number>()
  while (sizes.length < 10) {
    await setImmediate()
    seen.add(sizes.length)
  }
  await reading
  expect(seen.size).toBeGreaterThan(5)
})
