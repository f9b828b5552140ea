import { afterAll, beforeAll, expect, it } from 'vitest'
import { newKey } from '../support/inputs.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'

const TRAIL = `query T($id: ID!) { payment(id: $id) {
  notes { id text author }
  commands { mutation state requestedBy }
  events(first: 50) { nodes { kind source toStatus requestedBy } } } }`
const NOTE = `mutation N($input: CreatePaymentNoteInput!) { createPaymentNote(input: $input) { __typename
  ... on CreatePaymentNoteSuccess { replayed payment { notes { id text } } }
  ... on PaymentsInvalidInputError { problems { path message } } } }`
const DELETE = `mutation D($id: ID!) { deletePaymentNote(input: { noteId: $id }) { __typename
  ... on DeletePaymentNoteSuccess { payment { notes { text } } } } }`
const REFUND = 'mutation R($input: RefundPaymentInput!) { refundPayment(input: $input) { __typename } }'
const REFRESH = 'mutation F($id: ID!) { refreshPayment(id: $id) { __typename } }'
const DELIVERIES = `query W($id: ID!) { webhookDeliveries(filter: { subjectIds: [$id] }) { nodes {
  statusRaw headers receivedAfterMs storedAfterMs } } }`

type Trail = {
  readonly notes: readonly { readonly id: string; readonly text: string; readonly author: string | null }[]
  readonly commands: readonly { readonly mutation: string; readonly state: string; readonly requestedBy: string }[]
  readonly events: { readonly nodes: readonly Record<'kind' | 'source' | 'toStatus' | 'requestedBy', string | null>[] }
}
type Noted = {
  readonly createPaymentNote: { readonly __typename: string; readonly payment?: { readonly notes: Trail['notes'] } }
}

let network: Network
let ada: string
let bob: string
beforeAll(async () => {
  network = await startNetwork()
  ada = await network.token({ subject: 'ada' })
  bob = await network.token({ subject: 'bob' })
})
afterAll(() => network.close())

/** Makes a link and has it paid. Returns the ids of the link and the payment. */
async function paid(...statuses: ('pending' | 'received')[]) {
  const link = await createLink(network)
  for (const status of statuses) await network.sandbox.control.setStatus(link.id, status)
  await network.sandbox.settle()
  return { link: link.id, payment: (await historyOf(network, link.id)).payment?.id ?? '' }
}
const trailOf = async (id: string) => (await network.ask<{ payment: Trail }>(TRAIL, { id })).data.payment

it('a note is written once for a key, deleted by its author alone, and erased with the payer', async () => {
  const { payment: paymentId } = await paid('pending', 'received')
  const input = { idempotencyKey: newKey(), paymentId, text: ' Called the bank:\nit pays again.  ' }
  const write = (over: object, token = ada) => network.ask<Noted>(NOTE, { input: { ...input, ...over } }, { token })
  expect((await write({})).data.createPaymentNote).toMatchObject({ replayed: false })
  expect((await write({})).data.createPaymentNote).toMatchObject({ replayed: true })
  expect((await write({ text: 'other' })).data.createPaymentNote.__typename).toBe('PaymentsIdempotencyConflictError')
  expect((await write({ idempotencyKey: newKey(), text: 'x'.repeat(1_001) })).data.createPaymentNote).toMatchObject({
    problems: [{ path: ['text'] }],
  })
  const { notes } = await trailOf(paymentId)
  expect(notes).toMatchObject([{ text: 'Called the bank:\nit pays again.', author: 'ada' }])
  const [{ id } = { id: '' }] = notes
  const remove = async (token: string) => (await network.ask(DELETE, { id }, { token })).data
  expect(await remove(bob)).toMatchObject({ deletePaymentNote: { __typename: 'PaymentsNotFoundError' } })
  await write({ idempotencyKey: newKey(), text: 'Second' }, bob)
  expect(await remove(ada)).toMatchObject({ deletePaymentNote: { payment: { notes: [{ text: 'Second' }] } } })
  const erase = 'mutation E($id: String!) { erasePayer(input: { by: PAYMENT, value: $id }) { __typename } }'
  await network.ask(erase, { id: paymentId })
  expect((await trailOf(paymentId)).notes).toEqual([])
  expect((await write({ idempotencyKey: newKey() })).data.createPaymentNote).toMatchObject({
    problems: [{ path: ['paymentId'], message: 'its payer is erased' }],
  })
})

it('events tell who asked for their command or read, and commands that changed nothing do', async () => {
  const { link, payment: id } = await paid('pending', 'received')
  const input = { idempotencyKey: newKey(), paymentId: id, description: 'Returned' }
  network.sandbox.control.addFault({
    method: 'POST',
    path: '/v3/payin_links/refund',
    answer: { status: 422, body: {} },
  })
  await network.ask(REFUND, { input }, { token: bob })
  await network.ask(REFUND, { input }, { token: ada })
  // An old webhook contradicts the state, and Bob has it read.
  await network.sandbox.control.deliver(link, { kind: 'late', status: 'received' })
  await network.ask(REFRESH, { id }, { token: bob })
  const { events, commands } = await trailOf(id)
  expect(events.nodes.map(({ kind, source, requestedBy }) => `${kind} ${source} ${requestedBy}`)).toEqual([
    'LINK_CREATED COMMAND tester',
    'PAYMENT_STATUS_CHANGED WEBHOOK null',
    'PAYMENT_STATUS_CHANGED WEBHOOK null',
    'PAYMENT_STATUS_CHANGED COMMAND ada',
    'PAYMENT_STATUS_CHANGED WEBHOOK null',
    'PAYMENT_CONFIRMED READ bob',
  ])
  expect(new Set(commands)).toEqual(
    new Set([
      { mutation: 'refundPayment', state: 'REJECTED', requestedBy: 'bob' },
      { mutation: 'refundPayment', state: 'SETTLED', requestedBy: 'ada' },
    ]),
  )
})

it('a link tells every payment that was started through it', async () => {
  const { link, payment } = await paid('pending', 'received')
  const query = 'query L($id: ID!) { paymentLink(id: $id) { payments { id status } } }'
  expect((await network.ask(query, { id: link })).data).toEqual({
    paymentLink: { payments: [{ id: payment, status: 'RECEIVED' }] },
  })
})

it('a delivery tells its headers without secrets, and how long it took', async () => {
  const { payment: id } = await paid('pending', 'received')
  const { data } = await network.ask<{ webhookDeliveries: { nodes: Record<string, unknown>[] } }>(DELIVERIES, { id })
  const { nodes } = data.webhookDeliveries
  const ms = expect.any(Number) as number
  const headers = { 'content-type': 'application/json', 'content-length': expect.any(String) as string }
  expect(nodes).toEqual([
    { statusRaw: 'received', headers, receivedAfterMs: null, storedAfterMs: ms },
    { statusRaw: 'pending', headers, receivedAfterMs: ms, storedAfterMs: ms },
  ])
})
