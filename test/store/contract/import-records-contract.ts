import { expect, it } from 'vitest'
import { after, delivery, MINUTE, NOW, settledLink } from './builders.ts'
import { found, importing, LINKS, PAYINS, received, request } from './import-builders.ts'
import type { Fixture } from './store-contract.ts'

/** Tests how imports begin, go on, end and are kept. */
export function importRecordsContract(fixture: Fixture): void {
  const { store } = fixture
  const { lease, begin, current, placeOf, record } = importing(fixture)

  it('gives up a list, and goes on with the next one', async () => {
    const running = await begin([LINKS, PAYINS])
    await store.imports.giveUp(running.number, await placeOf(running), 'REFUSED', await lease())
    const { places, reports } = await current(running)
    expect(places).toMatchObject([{ kind: 'DONE' }, { kind: 'LIST', part: 1, page: 1 }])
    expect(reports).toMatchObject([
      { ...LINKS, problem: 'REFUSED' },
      { ...PAYINS, problem: null },
    ])
  })

  it('ends once its notes are removed, and leaves those of others', async () => {
    const [one, other] = [await begin([PAYINS]), await begin([PAYINS], { dryRun: true })]
    await record(other, [found(received('P1'))])
    const many = Array.from({ length: 300 }, (_, index) => found(received(`M${index}`)))
    for (let at = 0; at < many.length; at += 20) await record(one, many.slice(at, at + 20), { totalPages: 16 })
    expect(await store.imports.clear(one.number, NOW)).toBe(false)
    expect(await store.imports.clear(one.number, NOW)).toBe(true)
    expect(await current(one)).toMatchObject({ doneAt: NOW.getTime(), reports: [{ listed: 300 }] })
    expect((await store.imports.running()).map(({ number }) => number)).toEqual([other.number])
    expect(await store.imports.clear(other.number, after(MINUTE))).toBe(true)
    expect(await store.imports.running()).toEqual([])
  })

  it('finds the running import of the same terms, and runs twenty at most', async () => {
    const first = await begin([PAYINS])
    expect(await store.imports.begin(request([PAYINS]))).toEqual({ kind: 'running', import: first })
    const later = (index: number) => ({ plan: { from: index, to: NOW.getTime(), parts: [PAYINS] } })
    for (let index = 1; index < 20; index += 1) await begin([PAYINS], later(index))
    expect(await store.imports.begin(request([PAYINS], later(20)))).toEqual({ kind: 'too-many' })
    await store.imports.clear(first.number, NOW)
    expect(await store.imports.begin(request([PAYINS], later(20)))).toMatchObject({ kind: 'begun' })
    expect((await store.imports.page({ limit: 2, before: null }, {})).rows).toHaveLength(2)
    expect((await store.imports.page({ limit: 5, before: { number: first.number } }, {})).rows).toEqual([])
  })

  it('keeps the last thousand', async () => {
    const first = await begin([PAYINS])
    let last = first
    for (let count = 1; count <= 1_000; count += 1) {
      await store.imports.clear(last.number, NOW)
      last = await begin([PAYINS])
    }
    expect(await store.imports.byNumber(first.number)).not.toBeNull()
    await store.imports.clear(last.number, NOW)
    expect(await store.imports.byNumber(first.number)).toBeNull()
    expect(await store.imports.byNumber(first.number + 1)).not.toBeNull()
  })

  it('knows what the schedule has compared, since the first payment or link, but for what a wrong clock has', async () => {
    expect(await store.imports.comparedDays(NOW)).toEqual({ since: null, comparedAt: new Map() })
    await settledLink(store, 'a', { createdAt: after(-MINUTE).toISOString() })
    await store.inbox.receive(delivery(received('P1')))
    const compare = async (from: number, at: number) => {
      const one = await begin([PAYINS], {
        daily: true,
        plan: { from, to: from + 1, parts: [PAYINS] },
        requestedAt: after(at),
      })
      await store.imports.clear(one.number, NOW)
      return one
    }
    const from = NOW.getTime()
    for (const [day, at] of [
      [from, -2],
      [from, -1],
      [from, 1],
      [from - 1, -3],
    ] as const)
      await compare(day, at)
    await begin([PAYINS])
    expect(await store.imports.comparedDays(NOW)).toEqual({
      since: from - MINUTE,
      comparedAt: new Map([
        [from, from - 1],
        [from - 1, from - 3],
      ]),
    })
    const page = { limit: 9, before: null }
    expect((await store.imports.page(page, { daily: true })).rows).toHaveLength(4)
    expect((await store.imports.page(page, { daily: true, from: from - 1 })).rows).toHaveLength(1)
  })

  it('begins a comparison of the schedule once while it runs', async () => {
    const daily = await begin([PAYINS], { daily: true })
    const later = { daily: true, plan: { ...daily.plan, to: daily.plan.to + 1 } }
    expect(await store.imports.begin(request([PAYINS], later))).toEqual({ kind: 'running', import: daily })
    await store.imports.clear(daily.number, NOW)
    expect(await store.imports.begin(request([PAYINS], later))).toMatchObject({ kind: 'begun' })
  })
}
