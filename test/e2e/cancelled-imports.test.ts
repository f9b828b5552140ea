import { afterAll, beforeAll, expect, it } from 'vitest'
import { run } from '../../src/cli/command-line.ts'
import { AT_REST, importOf, lastHour, paidElsewhere, tryToImport } from '../support/imports.ts'
import { startNetwork, type Network } from '../support/network.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: AT_REST })))
afterAll(() => network.close())

const CANCEL = `mutation C($input: CancelPaymentImportInput!) { cancelPaymentImport(input: $input) {
  __typename ... on CancelPaymentImportSuccess { import { id lists { problem } } } } }`

async function cancel(importId: string) {
  const { data } = await network.ask<{ cancelPaymentImport: { __typename: string; import?: { id: string } } }>(CANCEL, {
    input: { importId },
  })
  return data.cancelPaymentImport
}

it('ends an import that waits for the payments API, keeps what it has, and reads no more', async () => {
  await paidElsewhere(network)
  for (const path of ['/v2*', '/v3*'])
    network.sandbox.control.addFault({ method: 'GET', path, times: 10_000, answer: { status: 503 } })
  const begun = await tryToImport(network, lastHour())
  const id = begun.import?.id ?? ''
  expect(await importOf(network, id)).toMatchObject({ state: 'RUNNING' })
  expect(await cancel(id)).toMatchObject({ __typename: 'CancelPaymentImportSuccess', import: { id } })
  await expect.poll(() => importOf(network, id), { timeout: 20_000 }).toMatchObject({ state: 'DONE' })
  network.sandbox.control.clearFaults()
  const done = await importOf(network, id)
  expect(done?.lists.every(({ problem }) => problem === 'CANCELLED')).toBe(true)
  expect(done?.lists.every(({ addedIds }) => addedIds.length === 0)).toBe(true)
  // Once more, on the command line too, and what is not there.
  const env = { SUBGRAPH_URL: `${network.app.url}/graphql`, SUBGRAPH_TOKEN: await network.token() }
  const streams = { output: process.stdout, terminal: process.stderr }
  expect(await run(['import', 'cancel', id], env, streams)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Cancelled\./),
  })
  expect(await run(['import', 'cancel', '999'], env, streams)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^NOT_FOUND: /),
  })
  expect(await cancel(id)).toMatchObject({ __typename: 'CancelPaymentImportSuccess' })
  expect(await cancel('999')).toEqual({ __typename: 'PaymentsNotFoundError' })
  expect(await cancel('none')).toEqual({ __typename: 'PaymentsNotFoundError' })
})
