import { expect } from 'vitest'
import type { Network } from '../support/network.ts'
import { EVENT_STREAM, isCaughtUp } from '../support/streams.ts'
import { everyField } from './every-field.ts'

const PAYMENT = `query Payment($id: ID!) { payment(id: $id) { ${everyField('Payment')} } }`
const STREAM = EVENT_STREAM.replace('payment { id status version } }', `payment { ${everyField('Payment')} } }`)

type Shown = { readonly payment: { readonly id: string; readonly status: string } | null }

/** Returns the payment with all its fields. Fails the test if any field fails. */
export async function shown(network: Network, id: string): Promise<Shown['payment']> {
  const { data, errors } = await network.ask<Shown>(PAYMENT, { id })
  expect(errors).toBeUndefined()
  return data.payment
}

/** Returns the cursor of the current end of the log, as a stream delivers it. */
export async function endOfLog(network: Network): Promise<string> {
  const stream = await network.follow(EVENT_STREAM, {})
  const [caughtUp] = await stream.until(isCaughtUp)
  await stream.end()
  return caughtUp?.cursor ?? ''
}

/** Replays every event after a cursor with all fields of its payment. Returns the ids of these payments. */
export async function replayAfter(network: Network, after: string): Promise<Set<string>> {
  const stream = await network.follow(STREAM, { after })
  const items = await stream.until(isCaughtUp)
  await stream.end()
  return new Set(items.flatMap(({ payment }) => payment?.id ?? []))
}

/** Fails the test if a body has changed `Object.prototype`. */
export function expectCleanPrototypes(): void {
  expect(Object.keys(Object.prototype)).toEqual([])
  for (const key of ['polluted', 'uuid', 'status', 'amount']) expect(key in {}).toBe(false)
}
