import { expect } from 'vitest'
import type { Network } from '../support/network.ts'
import { EVENT_STREAM, isCaughtUp } from '../support/streams.ts'
import { everyField } from './every-field.ts'

const PAYMENT = `query Payment($id: ID!) { payment(id: $id) { ${everyField('Payment')} } }`
const STREAM = EVENT_STREAM.replace('payment { id status version } }', `payment { ${everyField('Payment')} } }`)

type Shown = { readonly payment: { readonly id: string; readonly status: string } | null }

/** The payment with every field that it has; throws when any of them fails. */
export async function shown(network: Network, id: string): Promise<Shown['payment']> {
  const { data, errors } = await network.ask<Shown>(PAYMENT, { id })
  expect(errors).toBeUndefined()
  return data.payment
}

/** Where the log ends now, as a stream tells it. */
export async function endOfLog(network: Network): Promise<string> {
  const stream = await network.follow(EVENT_STREAM, {})
  const [caughtUp] = await stream.until(isCaughtUp)
  await stream.end()
  return caughtUp?.cursor ?? ''
}

/** Replays every event after a cursor, with every field of its payment; gives the ids of the payments they are about. */
export async function replayAfter(network: Network, after: string): Promise<Set<string>> {
  const stream = await network.follow(STREAM, { after })
  const items = await stream.until(isCaughtUp)
  await stream.end()
  return new Set(items.flatMap(({ payment }) => payment?.id ?? []))
}

/** Fails when a body has written to what every object inherits. */
export function expectCleanPrototypes(): void {
  expect(Object.keys(Object.prototype)).toEqual([])
  for (const key of ['polluted', 'uuid', 'status', 'amount']) expect(key in {}).toBe(false)
}
