import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asked, made, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'
import { payoutFileInput, V1_SITES } from '../support/payouts.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND, env: V1_SITES })))
afterAll(() => network.close())

const send = (over: Record<string, unknown>) => mutate(network, 'createPayoutFromFile', payoutFileInput(over))
const V1 = { methodCode: 'au_bank_v1_aud' }
const HEADER = 'payee,email,amount,payid,bsb,account_number'
const GOOD = `${HEADER}\nAda O'Payee,ada@example.test,40.25,ada@example.test,,\nTenders 4 Teens,t@example.test,59.75,,062-000,112233445\n`
const posts = () => asked(network, 'POST', '/v1/payouts') + asked(network, 'POST', '/v2/payouts')

describe('a file of payees', () => {
  it.each([
    ['v1', { ...V1, file: GOOD, retry: true }],
    ['v2', {}],
  ])('is one batch of %s, which is read like any other', async (_version, over) => {
    const { id } = await made(send(over), 'payout')
    const query = 'query P($id: ID!) { payout(id: $id) { totalAmount { value } transactions { statusRaw } } }'
    expect((await network.ask(query, { id })).data).toEqual({
      payout: { totalAmount: { value: '100.00' }, transactions: [{ statusRaw: 'pending' }, { statusRaw: 'pending' }] },
    })
    const list = '{ recordedPayouts(first: 1) { nodes { id } } }'
    expect((await network.ask(list)).data).toEqual({ recordedPayouts: { nodes: [{ id }] } })
    expect(network.log()).not.toMatch(/Tenders|Grace|112233445/)
  })

  it('with wrong lines makes nothing, and tells each line and column', async () => {
    const file = `${GOOD}\n"Eve\nPayee",eve@example.test,1,,,\nBob,bob,1.005,,62000,1\n`
    const before = posts()
    const result = await send({ ...V1, file })
    expect(result).toMatchObject({ __typename: 'PaymentsInvalidInputError' })
    expect(result.problems?.map(({ path, message }) => [path.join('.'), message.split(' ')[1]])).toEqual([
      ['file.5.payee', '5'],
      ['file.5.payid', '5'],
      ['file.7.email', '7'],
      ['file.7.amount', '7'],
      ['file.7.bsb', '7'],
    ])
    expect(JSON.stringify(result)).not.toMatch(/Eve|Bob/)
    expect(posts()).toBe(before)
  })

  it('of the most lines fits into a request', async () => {
    const line = 'Grace Hopper Payee,grace.payee@example.test,140.25,,062-000,112233445\n'
    const { id } = await made(send({ ...V1, file: `${HEADER}\n${line.repeat(500)}` }), 'payout')
    const query = 'query P($id: ID!) { payout(id: $id) { totalAmount { value } } }'
    expect((await network.ask(query, { id })).data).toEqual({ payout: { totalAmount: { value: '70125.00' } } })
  })

  it('is paid once for one key, whose repeat gives the same batch', async () => {
    const input = payoutFileInput({ ...V1, file: GOOD })
    const before = posts()
    const { id } = await made(mutate(network, 'createPayoutFromFile', input), 'payout')
    const again = { ...input, file: GOOD.replaceAll('\n', '\r\n') }
    expect(await mutate(network, 'createPayoutFromFile', again)).toMatchObject({ replayed: true, payout: { id } })
    const other = { ...input, file: GOOD.replace('40.25', '40.26') }
    expect(await mutate(network, 'createPayoutFromFile', other)).toMatchObject({
      __typename: 'PaymentsIdempotencyConflictError',
    })
    expect(posts() - before).toBe(1)
  })
})
