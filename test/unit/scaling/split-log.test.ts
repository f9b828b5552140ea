import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Cursor, type Flaw, SplitLog, type SplitEvent } from './split-log.ts'

/** A subscriber: what it was sent, and each cursor that it was sent with it. */
type Reader = { readonly events: SplitEvent[]; readonly cursors: Cursor[] }

type Step =
  | { readonly kind: 'begin'; readonly streams: readonly number[] }
  | { readonly kind: 'end'; readonly which: number; readonly commits: boolean }
  | { readonly kind: 'read'; readonly reader: number; readonly shard: number; readonly limit: number }
  | { readonly kind: 'resume'; readonly reader: number; readonly lost: number }
  | { readonly kind: 'split'; readonly shards: number }

const small = fc.nat({ max: 7 })
const STEP: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('begin' as const),
      streams: fc.array(small, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('end' as const), which: small, commits: fc.boolean() }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      reader: fc.nat({ max: 1 }),
      shard: small,
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('resume' as const), reader: fc.nat({ max: 1 }), lost: small }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('split' as const), shards: fc.integer({ min: 1, max: 6 }) }) },
)

/** Returns what two subscribers were sent once they have caught up, and what was committed. */
function run(shards: number, steps: readonly Step[], flaw: Flaw | null) {
  const log = new SplitLog(shards, flaw)
  const readers: Reader[] = [0, 1].map(() => ({ events: [], cursors: [log.start()] }))
  const readOne = (reader: Reader, shard: number, limit: number): number => {
    const cursor = log.advance(reader.cursors.at(-1) ?? log.start())
    const next = log.read(cursor, shard, limit)
    for (const each of next) {
      reader.events.push(each.event)
      reader.cursors.push(each.cursor)
    }
    return next.length
  }
  for (const step of steps) {
    const reader = 'reader' in step ? readers[step.reader] : undefined
    if (step.kind === 'begin') log.begin(step.streams.map((n) => `stream-${n}`))
    if (step.kind === 'end') log.end(step.which, step.commits)
    if (step.kind === 'split') log.split(step.shards)
    if (step.kind === 'read' && reader !== undefined) readOne(reader, step.shard, step.limit)
    // The connection was cut: the last frames did not arrive, and the client resumes behind the last one that did.
    if (step.kind === 'resume' && reader !== undefined) {
      const lost = Math.min(step.lost, reader.events.length)
      reader.events.splice(reader.events.length - lost)
      reader.cursors.splice(reader.cursors.length - lost)
    }
  }
  for (let n = 0; n < steps.length; n += 1) log.end(0, true)
  for (const reader of readers) catchUp(reader)
  return { committed: log.committed, readers: readers.map(({ events }) => events) }

  function catchUp(reader: Reader): void {
    let found = true
    while (found) {
      found = false
      for (let shard = 0; shard < 6; shard += 1) if (readOne(reader, shard, 4) > 0) found = true
    }
  }
}

const idOf = ({ streamId, sequence }: SplitEvent) => `${streamId}.${sequence}`
const ofStream = (events: readonly SplitEvent[], stream: string) =>
  events.filter(({ streamId }) => streamId === stream).map(({ sequence }) => sequence)

function holds(flaw: Flaw | null): fc.RunDetails<[number, Step[]]> {
  const property = fc.property(
    fc.integer({ min: 1, max: 5 }),
    fc.array(STEP, { maxLength: 120, size: 'max' }),
    (shards, steps) => {
      const { committed, readers } = run(shards, steps, flaw)
      for (const events of readers) {
        expect(events.map(idOf).toSorted()).toEqual(committed.map(idOf).toSorted())
        for (const stream of new Set(committed.map(({ streamId }) => streamId)))
          expect(ofStream(events, stream)).toEqual(ofStream(committed, stream))
      }
    },
  )
  return fc.check(property, { numRuns: 2_000 })
}

describe('a log that is split by streams', () => {
  it('sends each subscriber every event once, and those of a stream in order, wherever it resumes', () => {
    const details = holds(null)
    expect(details.failed, `Property failed: ${fc.defaultReportMessage(details) ?? ''}`).toBe(false)
  })

  it.each(['positions before the lock', 'scalar cursor', 'no end of an epoch'] as const)(
    'does not with the fault: %s',
    (flaw) => {
      expect(holds(flaw).failed).toBe(true)
    },
  )
})
