import { isNonNullType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { casesOf, FULL } from '../faults/rounds.ts'
import { entities, mutations, queries, streams, type Ask } from './asks.ts'
import { CALLERS, seesEverything, THROUGH_ROUTER, type CallerKind } from './callers.ts'
import { startWorld, type Fixture } from './fixture.ts'
import { askAll, differences, withLines, type Asked, type Matrix } from './matrix.ts'
import { GUARDED } from './rules.ts'
import { everyCoordinate, fieldOf } from './selection.ts'
import { columns, LEGEND, tables } from './table.ts'
import { STREAM_TRANSPORTS, TRANSPORTS, type Transport } from './transports.ts'

/** Fields that have no data for any caller here, with the reason. */
const NEVER_ANSWERED: Readonly<Record<string, string>> = {
  'Query.reconciliationReport': 'these tests last less than a day: see test/e2e/daily-reconciliation.test.ts',
  'DeletePaymentNoteSuccess.payment': 'a note is deleted once: see test/e2e/operators-trail.test.ts',
  'PaymentsSandboxOnlyError.message': 'the payments API of these tests is its sandbox',
  'PaymentsSandboxOnlyError.code': 'the payments API of these tests is its sandbox',
  'PaymentsSandboxOnlyError.retryable': 'the payments API of these tests is its sandbox',
  'PaymentSigningKey.firstSignedAt': 'these tests have one key: see test/e2e/signing-keys.test.ts',
  'PaymentSigningKey.lastCallbackAt': 'it is recorded an hour after the start: see test/e2e/signing-keys.test.ts',
  ...Object.fromEntries(
    ['dispositionAfter', 'dispositionBefore', 'statusAfter', 'statusBefore'].map((name) => [
      `PaymentWebhookReplayResult.${name}`,
      'nothing can be replayed here: see test/e2e/bulk-replays.test.ts',
    ]),
  ),
  ...Object.fromEntries(
    ['alias', 'message', 'qrContent', 'url'].map((name) => [`PaymentInstructions.${name}`, 'the payin is a transfer']),
  ),
  ...Object.fromEntries(
    ['accountType', 'branchCode', 'branchName', 'swiftCode'].map((name) => [
      `PaymentTransferAccount.${name}`,
      'the sandbox gives a bank, a number and a holder',
    ]),
  ),
}

let fixture: Fixture
let direct: Map<Transport, Asked>
let byReference: Map<Transport, Asked>
let streamed: Map<Transport, Asked>
beforeAll(async () => {
  fixture = await startWorld()
  direct = await over(TRANSPORTS, CALLERS, [...queries(fixture), ...mutations(fixture)])
  byReference = await over(TRANSPORTS, THROUGH_ROUTER, entities(fixture))
  streamed = await over(STREAM_TRANSPORTS, CALLERS, streams(fixture))
}, 300_000)
afterAll(() => fixture.network.close())

/** Asks as every caller over the first transport. Over the others, in a full run as every caller, and in every other one as some of them. */
async function over(transports: readonly Transport[], all: readonly CallerKind[], asks: readonly Ask[]) {
  const asked = new Map<Transport, Asked>()
  for (const transport of transports) {
    const callers = asked.size === 0 ? all : someOf(all, transport)
    asked.set(transport, await withLines(fixture, { transport, callers }, (lines) => askAll(lines, asks)))
  }
  return asked
}

/** The caller with all rights is always among them: what the others should be shown is derived from its answers. */
function someOf(callers: readonly CallerKind[], { name }: Transport): readonly CallerKind[] {
  const others = callers.filter((caller) => !seesEverything(caller))
  return [...callers.filter(seesEverything), ...casesOf(`who asks over ${name}`, others, 8)]
}

const all = () => [...direct.values(), ...byReference.values(), ...streamed.values()]

// promise(authorization): Every field, for every kind of caller and transport, follows the reviewed table
// `test/rights/matrix.snap.md`; a new field fails until it is reviewed.
describe('the rights of every caller at every field', () => {
  it('are the reviewed ones', async () => {
    const snapshot = [
      '# Who is shown what',
      'Every field of the schema, as every kind of caller is answered it. Written by `test/rights/matrix.test.ts`; a change of it is a change of the rights. The most that a caller is shown of a field anywhere counts.',
      LEGEND,
      columns(CALLERS),
      '## Queries and mutations',
      tables(seen(direct), inAny(direct)),
      '## Entities, by reference through the router',
      'The router adds its secret to what the caller sends.',
      tables(seen(byReference), inAny(byReference)),
      '## Subscriptions, from the state on and replayed',
      tables(
        seen(streamed),
        inAny(streamed).filter((field) => /^(?:Subscription|PaymentStreamItem)\./.test(field)),
      ),
    ].join('\n\n')
    await expect(`${snapshot}\n`).toMatchFileSnapshot('./matrix.snap.md')
  })

  it('are the same over every transport', () => {
    for (const asked of [direct, byReference, streamed]) {
      const [first, ...others] = asked.values()
      for (const other of others) {
        expect(other.seen.size).toBe(FULL ? first?.seen.size : 9)
        expect(differences(other.seen, first?.seen ?? new Map())).toEqual([])
      }
    }
  })

  it('are what the directives of the schema say, and what the resolvers add to them', () => {
    for (const { seen: actual, foretold } of all()) expect(differences(actual, foretold)).toEqual([])
  })

  it('are known of every field: each is answered to somebody', () => {
    const answered = (field: string) =>
      all().some(({ seen: matrix }) => [...matrix.values()].some((cells) => cells.get(field) === 'data'))
    const unanswered = everyCoordinate().filter((field) => !answered(field))
    expect(unanswered.toSorted()).toEqual(Object.keys(NEVER_ANSWERED).toSorted())
  })

  it('are no more than what is needed: nothing takes every scope at once', () => {
    for (const matrix of [direct, byReference, streamed].map(seen)) {
      const everything = [...matrix].find(([caller]) => seesEverything(caller))
      const others = [...matrix].filter(([caller]) => !seesEverything(caller))
      const shown = [...(everything?.[1] ?? [])].filter(([, outcome]) => outcome === 'data')
      const onlyAll = shown.filter(([field]) => !others.some(([, cells]) => /data|masked/.test(cells.get(field) ?? '')))
      expect(onlyAll).toEqual([])
    }
  })
})

describe('a field that asks for scopes', () => {
  it('is nullable, so that refusing it takes nothing else away', () => {
    const below = [...GUARDED.keys()].filter((field) => !field.startsWith('Subscription.'))
    const unfit = below.filter((field) => {
      const [type = '', name = ''] = field.split('.')
      return isNonNullType(fieldOf(type, name).type)
    })
    expect(unfit).toEqual([])
  })
})

function seen(asked: ReadonlyMap<Transport, Asked>): Matrix {
  const [first] = asked.values()
  if (first === undefined) throw new Error('Nothing was asked.')
  return first.seen
}

/** Returns the fields that any caller has reached, in the order of the schema. */
function inAny(asked: ReadonlyMap<Transport, Asked>): string[] {
  const met = new Set([...seen(asked).values()].flatMap((cells) => Array.from(cells.keys())))
  return everyCoordinate().filter((field) => met.has(field))
}
