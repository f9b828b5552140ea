import { newKey } from '../support/inputs.ts'
import type { Network } from '../support/network.ts'
import type { Fixture } from './fixture.ts'

/** Writes a note and deletes another. Returns both mutations, which have the same result for every repeat. */
export async function notedPayment(network: Network): Promise<Fixture['inputs']> {
  const token = await network.token({ subject: 'back-office' })
  const { data } = await network.ask<{ payments: { nodes: { id: string }[] } }>('{ payments { nodes { id } } }')
  const write = `mutation N($input: CreatePaymentNoteInput!) { createPaymentNote(input: $input) {
    ... on CreatePaymentNoteSuccess { payment { notes { id } } } } }`
  const inputs = data.payments.nodes.map(({ id: paymentId }) => ({
    idempotencyKey: newKey(),
    paymentId,
    text: 'Called.',
  }))
  for (const input of inputs) await network.ask(write, { input }, { token })
  return [
    ['createPaymentNote', { input: inputs[0] }],
    ['deletePaymentNote', { input: { noteId: 'nothing' } }],
  ]
}
