import { Writable } from 'node:stream'
import { callbackify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { run } from '../../src/cli/command-line.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { defaultAddress, deliver, paymentBody } from '../support/webhooks.ts'

/** More than two pages of the graph. */
const COUNT = 205

let network: Network
let token: string
beforeAll(async () => {
  network = await startNetwork()
  token = await network.token()
  const bodies = Array.from({ length: COUNT }, (_, n) => ({
    uuid: `export-${n}`,
    external_id: `order-${n}`,
    amount: '0.10',
  }))
  await Promise.all(bodies.map((body) => deliver(defaultAddress(network), paymentBody(body))))
})
afterAll(() => network.close())

type Line = { payment: { id: string; amount: string }; totals: { count: number; amount: string }[]; count: number }

/** Runs an export. `onChunk` is awaited after each part of the file, before the next is taken. */
async function exported(
  args: readonly string[],
  { onChunk, as = token }: { onChunk?: () => Promise<void>; as?: string } = {},
) {
  let file = ''
  const take = callbackify(async (chunk: Buffer) => {
    file += chunk.toString()
    await onChunk?.()
  })
  const output = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      take(chunk, done)
    },
  })
  const env = { SUBGRAPH_URL: `${network.app.url}/graphql`, SUBGRAPH_TOKEN: as }
  return { ...(await run(['export', ...args], env, { output, terminal: process.stderr })), file }
}

const linesOf = (file: string) =>
  file
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

/** Returns the ids of the list, page by page. */
async function listed(filter: object): Promise<string[]> {
  const list = `query L($after: String, $filter: PaymentsFilter) {
    payments(first: 100, after: $after, filter: $filter) { nodes { id } pageInfo { hasNextPage endCursor } } }`
  const ids: string[] = []
  let after: string | null = null
  do {
    const {
      payments,
    }: { payments: { nodes: { id: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string } } } = (
      await network.ask<{ payments: never }>(list, { after, filter })
    ).data
    ids.push(...payments.nodes.map(({ id }) => id))
    after = payments.pageInfo.hasNextPage ? payments.pageInfo.endCursor : null
  } while (after !== null)
  return ids
}

it('has what the list has, over its pages, with exact totals at its end', async () => {
  const { code, out, err, file } = await exported(['--format', 'ndjson'])
  expect({ code, out, err }).toEqual({ code: 0, out: '', err: '' })
  const lines = linesOf(file)
  const end = lines.pop()
  expect(lines.map(({ payment }) => payment.id)).toEqual(await listed({}))
  expect(end?.count).toBe(lines.length)
  expect(lines.length).toBeGreaterThanOrEqual(COUNT)
  const cents = (amounts: readonly { amount: string }[]) =>
    amounts.reduce((sum, { amount }) => sum + Number(amount.replace('.', '')), 0)
  expect(cents(end?.totals ?? [])).toBe(cents(lines.map(({ payment }) => payment)))
})

it('has each payment once while others come and change', async () => {
  const before = await listed({})
  let parts = 0
  const { file } = await exported(['--format', 'ndjson'], {
    onChunk: async () => {
      parts += 1
      await deliver(defaultAddress(network), paymentBody({ uuid: `later-${parts}`, amount: '5.00' }))
      await deliver(defaultAddress(network), paymentBody({ uuid: 'export-1', amount: '0.10', status: 'pending' }))
    },
  })
  const ids = linesOf(file).flatMap(({ payment }) => payment?.id ?? [])
  expect(parts).toBeGreaterThan(2)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toEqual(before)
})

it('ends with 1, and without its end, when the output is closed', async () => {
  const broken = await exported([], { onChunk: () => Promise.reject(new Error('closed')) })
  expect(broken).toMatchObject({ code: 1, err: 'The output was closed before the export was complete.\n' })
  expect(broken.file).not.toMatch(/^END,/m)
})

it('writes nothing with a token that may not list payments', async () => {
  const as = await network.token({ scopes: ['payments:write'] })
  expect(await exported(['--format', 'ndjson'], { as })).toMatchObject({
    code: 1,
    file: '',
    err: 'The token in SUBGRAPH_TOKEN lacks a scope of: payments:read\n',
  })
})
