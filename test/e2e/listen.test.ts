import { spawn } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ALL_SCOPES } from '../../src/access/caller.ts'
import { freePort } from '../support/free-port.ts'
import { PRODUCTION, startNetwork, token, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'
import { defaultAddress, deliver, deliveries, paymentBody, send } from '../support/webhooks.ts'

/** A subgraph with a public address, and one on a laptop, whose webhooks are sent to the public address. */
let open: Network
let laptop: Network
beforeAll(async () => {
  open = await startNetwork()
  const upstreamUrl = open.sandbox.url
  laptop = await startNetwork({ upstreamUrl, env: { PUBLIC_URL: open.app.url, PORT: `${await freePort()}` } })
})
afterAll(async () => {
  await laptop.close()
  await open.close()
})

/** Runs `listen` as a program until the test ends. */
async function startListening(bearer?: string, url = open.app.url) {
  const args = ['src/cli.ts', 'listen', '--forward-to', laptop.app.url]
  const env = { SUBGRAPH_URL: `${url}/graphql`, SUBGRAPH_TOKEN: bearer ?? (await token()) }
  const child = spawn(process.execPath, ['--conditions=payments-subgraph-source', ...args], { env })
  onTestFinished(() => void child.kill())
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const lines = () => out.split('\n').slice(0, -1)
  const times = (said: string) => err.split(said).length - 1
  return { lines, times, ended, err: () => err }
}

const SECONDS = { timeout: 20_000 }
const LISTENING = 'Listening to'

describe('listen', () => {
  it('forwards what arrives, byte by byte and in order, to the subgraph that verifies and knows it', async () => {
    await deliver(defaultAddress(open), paymentBody())
    const { lines, times } = await startListening()
    await expect.poll(() => times(LISTENING), SECONDS).toBe(1)
    const forged = { method: 'POST', headers: { 'http-webhook-signature': '0'.repeat(64) }, body: paymentBody() }
    expect((await send(`${open.app.url}/webhooks/payments/unknown`, forged)).status).toBe(404)
    const link = await createLink(laptop)
    for (const status of ['pending', 'received'] as const) await open.sandbox.control.setStatus(link.id, status)
    await open.sandbox.settle()
    const own = Array.from({ length: 3 }, () => paymentBody({ name: '\u{1F600} ' }))
    for (const body of own) await deliver(defaultAddress(open), body)
    await expect.poll(() => lines().length, SECONDS).toBe(5)

    const { payment } = await historyOf(laptop, link.id)
    const ids = [payment?.id, payment?.id, ...own.map((body) => (JSON.parse(body) as { uuid: string }).uuid)]
    expect(lines()).toEqual(
      ids.map((id) => expect.stringMatching(new RegExp(`^\\S+Z  payments  ${id}  200$`)) as string),
    )
    expect(payment).toMatchObject({ status: 'RECEIVED' })
    expect((await deliveries(open, [payment?.id ?? ''])).length).toBe(0)
  })

  it('says once that nobody answers, connects again after a restart, and goes on', async () => {
    const { lines, times } = await startListening()
    await expect.poll(() => times(LISTENING), SECONDS).toBe(1)
    await laptop.stop()
    for (let n = 0; n < 2; n++) await deliver(defaultAddress(open), paymentBody())
    await expect.poll(() => lines().length, SECONDS).toBe(2)
    expect(lines().every((line) => line.endsWith('  ECONNREFUSED'))).toBe(true)
    expect(times('Nothing answers at')).toBe(1)
    await laptop.restart()
    await open.restart()
    await expect.poll(() => times(LISTENING), SECONDS).toBe(2)
    expect(times('is lost')).toBe(1)
    await deliver(defaultAddress(open), paymentBody())
    await expect.poll(() => lines()[2], SECONDS).toMatch(/ {2}200$/)
  })

  it.each(['webhooks:replay', 'payments:pii', 'payouts:pii'])('needs the scope %s, and says so', async (scope) => {
    const { ended, err } = await startListening(await token({ scopes: ALL_SCOPES.filter((one) => one !== scope) }))
    expect(await ended).toBe(1)
    expect(err()).toMatch(
      new RegExp(`^\\S+ refuses \\(HTTP 403\\): The token lacks a scope of: [^\\n]*${scope}[^\\n]*\\n$`),
    )
  })

  it('ends with the token', async () => {
    const { ended, err } = await startListening(await token({ ttlSeconds: 5 }))
    expect(await ended).toBe(1)
    expect(err()).toMatch(/The token has expired\.\n$/)
  })

  it('is refused where real money moves', async () => {
    const production = await startNetwork({ env: { ...PRODUCTION, UPSTREAM_ENVIRONMENT: 'production' } })
    onTestFinished(() => production.close())
    const { ended, err } = await startListening(undefined, production.app.url)
    expect(await ended).toBe(1)
    expect(err()).toContain('Webhooks of production are not forwarded')
  })
})
