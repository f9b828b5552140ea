import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { settle } from '../support/deliveries.ts'
import { setGatewayStatus } from '../support/gateway-payments.ts'
import { liveStreams, type Ask } from './asks.ts'
import { CALLERS, type CallerKind } from './callers.ts'
import type { GraphqlAnswer } from './cells.ts'
import { startWorld, type Fixture } from './fixture.ts'
import { compared, differences, operationFor, withLines, type Answered } from './matrix.ts'
import { STREAM_TRANSPORTS, type Following } from './transports.ts'

let fixture: Fixture
// These changes are possible only once, so each test has its own data.
beforeEach(async () => void (fixture = await startWorld()), 120_000)
afterEach(() => fixture.network.close())

type Open = { readonly ask: Ask; readonly caller: CallerKind; readonly items: Following }

describe.each(STREAM_TRANSPORTS)('what happens while somebody follows over $name', (transport) => {
  it('is told to whom it would be shown, and no more of it', async () => {
    const told = await withLines(fixture, { transport, callers: CALLERS }, async (lines) => {
      const open: Open[] = []
      const refusals: (GraphqlAnswer | null)[] = []
      // Caller by caller: hundreds that begin together are an overload on a slow machine.
      for (const [caller, line] of lines) {
        const streams = liveStreams(fixture).map((ask) => ({
          ask,
          caller,
          items: line.follow(operationFor(ask, caller)),
        }))
        open.push(...streams)
        refusals.push(...(await Promise.all(streams.map(refusalOf))))
      }
      const [paid] = fixture.links
      await fixture.network.sandbox.control.setStatus(paid?.id ?? '', 'in_dispute')
      await fixture.network.sandbox.control.setAgreementStatus(fixture.ids.agreementAtService, 'suspended')
      await fixture.network.sandbox.control.setPayoutStatus(fixture.ids.payouts[0] ?? '', 'processing')
      await setGatewayStatus(fixture.network, fixture.ids.gatewayPayment, 'received')
      await settle(fixture.network)
      return Promise.all(open.map((stream, index) => answered(stream, refusals[index] ?? null)))
    })
    const { seen, foretold } = compared(told)
    expect(differences(seen, foretold)).toEqual([])
    const following = told.filter(({ answer }) => kindOf(answer) === 'EVENT')
    expect(following.length).toBeGreaterThan(liveStreams(fixture).length)
    const refused = told.filter(({ answer }) => answer.data === null)
    expect(following.length + refused.length).toBe(told.length)
  })
})

/** Reads up to the live part of a stream. Returns the rejection, or null. */
async function refusalOf({ items }: Open): Promise<GraphqlAnswer | null> {
  for (;;) {
    const answer = await items.next()
    if (answer === null) throw new Error('A stream ended by itself.')
    const kind = kindOf(answer)
    if (kind === null) return answer
    if (kind === 'CAUGHT_UP') return null
  }
}

async function answered({ ask, caller, items }: Open, refusal: GraphqlAnswer | null): Promise<Answered> {
  const answer = refusal ?? (await items.next())
  if (answer === null) throw new Error('A stream ended by itself.')
  return { ask, caller, answer }
}

function kindOf({ data }: GraphqlAnswer): unknown {
  const [item] = Object.values((data ?? {}) as Record<string, { kind?: unknown } | null>)
  return item?.kind ?? null
}
