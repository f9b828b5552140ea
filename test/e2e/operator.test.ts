import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Scope } from '../../src/access/caller.ts'
import { run } from '../../src/cli/command-line.ts'
import { doubtfulDelivery, everything, misaddressedDelivery, settle } from '../support/deliveries.ts'
import { payerOf } from '../support/erasures.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { defaultAddress, deliver, deliveries, paymentBody } from '../support/webhooks.ts'

let network: Network
let token: string
let doubtful: Awaited<ReturnType<typeof doubtfulDelivery>>
beforeAll(async () => {
  network = await startNetwork()
  token = await network.token()
  doubtful = await doubtfulDelivery(network)
})
afterAll(() => network.close())

type Ended = { readonly code: number; readonly out: string; readonly err: string }

/** Runs the command line with the subgraph's URL and a token in its environment. */
async function operator(
  args: readonly string[],
  env: Record<string, string> = {},
  runs = inThisProcess,
): Promise<Ended> {
  const ended = await runs(args, { SUBGRAPH_URL: `${network.app.url}/graphql`, SUBGRAPH_TOKEN: token, ...env })
  // The output must never contain the token.
  expect(ended.out + ended.err).not.toContain(env['SUBGRAPH_TOKEN'] || token)
  return ended
}

/** A process takes a second to start, so most tests need none. */
const inThisProcess = (args: readonly string[], env: Record<string, string>): Promise<Ended> =>
  run(args, env, { output: process.stdout, terminal: process.stderr })

function asProgram(args: readonly string[], env: Record<string, string>): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--conditions=payments-subgraph-source', 'src/cli.ts', ...args],
      { env },
      (error, out, err) => resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    )
  })
}

const tokenWith = (...scopes: Scope[]) => network.token({ scopes })

describe('deliveries', () => {
  it('lists what was quarantined and what is in doubt, newest first, and nothing else', async () => {
    const misaddressed = await misaddressedDelivery(network, doubtful.paymentId)
    await deliver(defaultAddress(network), 'no JSON')
    const all = await operator(['deliveries', '--limit', '1000'], {}, asProgram)
    expect(all).toMatchObject({ code: 0, err: '' })
    const [head, ...lines] = all.out.trimEnd().split('\n')
    expect(head).toMatch(/^ID +LAST RECEIVED +DISPOSITION +WHY +SUBJECT +SAYS +NOW +ATTEMPTS$/)
    expect(lines[0]).toMatch(/QUARANTINED +NO_JSON_OBJECT +- +- +- +1$/)
    expect(lines[1]).toMatch(
      new RegExp(`^${misaddressed} +\\S+ +QUARANTINED +MISADDRESSED +\\S+ +received +failed +1$`),
    )
    expect(lines.every((line) => /QUARANTINED|DOUBTFUL/.test(line))).toBe(true)

    const { paymentId, deliveryId } = doubtful
    const one = await operator(['deliveries', '--doubtful', '--subject', paymentId])
    expect(one.out.trimEnd().split('\n').slice(1)).toEqual([
      expect.stringMatching(new RegExp(`^${deliveryId} +\\S+ +DOUBTFUL +- +${paymentId} +authorised +failed +1$`)),
    ])
    const now = new Date().toISOString()
    for (const args of [
      ['--subject', 'nobody'],
      ['--kind', 'payout', 'agreement'],
      ['--from', now],
    ])
      expect(await operator(['deliveries', ...args])).toMatchObject({ code: 0, out: 'No deliveries.\n' })
    const before = await operator(['deliveries', '--limit', '1000', '--kind', 'payment', '--before', now])
    expect(before.out).toBe(all.out)
  })

  it('goes on over the pages of the graph, up to its limit', async () => {
    for (let n = 0; n < 120; n++)
      await deliver(defaultAddress(network), paymentBody({ uuid: undefined, amount: `${n}` }))
    const listed = async (...args: string[]) =>
      JSON.parse((await operator(['deliveries', '--json', ...args])).out) as { id: string }[]
    const waiting = (
      await network.ask<{ webhookDeliveries: { nodes: { id: string }[] } }>(
        '{ webhookDeliveries(first: 100, filter: { dispositions: [QUARANTINED] }) { nodes { id } } }',
      )
    ).data.webhookDeliveries.nodes
    const found = await listed('--quarantined', '--limit', '115')
    expect(found.slice(0, 100).map(({ id }) => id)).toEqual(waiting.map(({ id }) => id))
    expect(new Set(found.map(({ id }) => id)).size).toBe(115)
    expect((await listed('--all', '--limit', '1000')).length).toBeGreaterThan(120)
    expect((await operator(['deliveries', '--limit', '2'])).out).toMatch(/There may be older ones: raise --limit\.\n$/)
  })

  it('shows what could move the cursor as its code', async () => {
    const status = 'received\u{202e}x'
    await deliver(defaultAddress(network), paymentBody({ uuid: 'turned-round', status }))
    const [latest] = await deliveries(network)
    const { out } = await operator(['deliveries', 'show', latest?.id ?? ''])
    expect(out).toContain('\\u{202e}')
    expect(out).not.toContain('\u{202e}')
  })
})

describe('deliveries show', () => {
  it('shows one with its body and the state of its payment', async () => {
    const { deliveryId, paymentId, link } = doubtful
    const { code, out } = await operator(['deliveries', 'show', deliveryId])
    expect(code).toBe(0)
    expect(out).toMatch(/^disposition {2}DOUBTFUL$/m)
    expect(out).toMatch(new RegExp(`^link +${link.id}, \\w+$`, 'm'))
    expect(out).toMatch(new RegExp(`^says +${paymentId} is authorised$`, 'm'))
    expect(out).toMatch(new RegExp(`^payment +${paymentId} is failed, version [34] of \\S+$`, 'm'))
    expect(out).toMatch(/body, without secrets and payer data:\n\{"uuid":/)
    expect(out).not.toMatch(/Ada|ada@/)
  })

  it('leaves out what the token may not see, and says so', async () => {
    const { deliveryId } = doubtful
    const { code, out } = await operator(['deliveries', 'show', deliveryId], {
      SUBGRAPH_TOKEN: await tokenWith('payments:read'),
    })
    expect(code).toBe(0)
    expect(out).toMatch(/body: not shown, the token has not the scope payments:risk\n$/)
    expect(out).not.toContain('"uuid"')
  })

  it('fails where there is none', async () => {
    expect(await operator(['deliveries', 'show', 'nobody'], {}, asProgram)).toEqual({
      code: 1,
      out: '',
      err: 'There is no delivery with this id.\n',
    })
  })
})

describe('deliveries replay', () => {
  it('is a dry run, until it is told to apply', async () => {
    const { link, deliveryId } = await doubtfulDelivery(network)
    await network.sandbox.control.setStatus(link.id, 'pending')
    await settle(network)
    const before = await everything(network)
    const dry = await operator(['deliveries', 'replay', deliveryId])
    expect(dry).toMatchObject({ code: 0, err: '' })
    expect(dry.out).toMatch(/^Dry run: nothing has been changed\.\n/)
    expect(dry.out).toMatch(/^disposition +DOUBTFUL -> APPLIED$/m)
    expect(dry.out).toMatch(/^status +pending -> authorised$/m)
    expect(dry.out).toMatch(/^read +would be requested$/m)
    await settle(network)
    expect(await everything(network)).toEqual(before)

    const wet = await operator(['deliveries', 'replay', deliveryId, '--yes'])
    expect(wet).toMatchObject({ code: 0, err: '' })
    expect(wet.out).toMatch(/^Applied\.\n/)
    expect(wet.out).toMatch(/^read +requested$/m)
    expect(wet.out).toMatch(/^event +link:\S+$/m)
    expect(await everything(network)).not.toEqual(before)
    expect(await operator(['deliveries', 'replay', deliveryId, '--yes'])).toEqual({
      code: 1,
      out: '',
      err: 'NOT_REPLAYABLE: The delivery has already changed the state; nothing was changed.\n',
    })
  })

  it('is refused for what came to the wrong address', async () => {
    const deliveryId = await misaddressedDelivery(network, doubtful.paymentId)
    expect(await operator(['deliveries', 'replay', deliveryId, '--yes'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('is about another subject than its webhook URL'),
    })
  })

  it('takes many by a filter, after their count, and goes on past one that is refused', async () => {
    const subject = doubtful.paymentId
    const wrong = await misaddressedDelivery(network, subject)
    const shown = new PassThrough()
    const env = { SUBGRAPH_URL: `${network.app.url}/graphql`, SUBGRAPH_TOKEN: token }
    const ended = await run(['deliveries', 'replay', '--subject', subject], env, { output: shown, terminal: shown })
    expect(String(shown.read())).toMatch(/^\d+ deliveries would be replayed\.\n$/)
    expect(ended.code).toBe(1)
    expect(ended.out).toMatch(/^Dry run: nothing has been changed\.\n/)
    expect(ended.out).toContain(doubtful.deliveryId)
    expect(ended.err).toMatch(new RegExp(`^${wrong}: NOT_REPLAYABLE: `, 'm'))
    const none = await operator(['deliveries', 'replay', '--subject', subject, '--before', '2020-01-01T00:00:00Z'])
    expect(none.out).toBe('No delivery was replayed.\n')
    for (const args of [[], ['--json', '--yes'], ['x', '--all']])
      expect(await operator(['deliveries', 'replay', ...args])).toMatchObject({ code: 2, out: '' })
    const json = await operator(['deliveries', 'replay', doubtful.deliveryId, '--json'])
    expect(JSON.parse(json.out)).toMatchObject([{ applied: false, delivery: { id: doubtful.deliveryId } }])
  })

  it('names the scopes that the token has not', async () => {
    const refused = await operator(['deliveries', 'replay', 'any'], {
      SUBGRAPH_TOKEN: await tokenWith('payments:read'),
    })
    expect(refused).toEqual({
      code: 1,
      out: '',
      err: 'The token in SUBGRAPH_TOKEN lacks a scope of: webhooks:replay payments:read\n',
    })
  })
})

describe('erase', () => {
  const eraser = async () => ({ SUBGRAPH_TOKEN: await network.token({ scopes: ['payments:erase'], subject: 'dpo-1' }) })

  it('erases the payer of a payment, and lists that without telling whom', async () => {
    const { paymentId } = doubtful
    expect(await operator(['erase', '--payment', paymentId], await eraser())).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^Dry run.*\nThe payers of 1 payments, 0 agreements and 0 payouts would be\.\n/,
      ) as string,
    })
    expect(await payerOf(network, paymentId)).not.toBeNull()
    const erased = await operator(['erase', '--payment', paymentId, '--yes'], await eraser())
    expect(erased).toMatchObject({ code: 0, err: '' })
    expect(erased.out).toMatch(
      /^Done\.\nerasure +\d+, by PAYMENT\npayments +1\nagreements +0\npayouts +0\npayers on record +1\n$/,
    )
    expect(await payerOf(network, paymentId)).toBeNull()

    await operator(['erase', '--email', 'Nobody@example.test', '--yes'], await eraser())
    const { out } = await operator(['erasures'], await eraser())
    const [head, ...lines] = out.trimEnd().split('\n')
    expect(head).toMatch(
      /^ID +REQUESTED +BY +STATE +PAYMENTS +AGREEMENTS +PAYOUTS +PAYERS +REQUESTED BY +DONE +VALUE HASH$/,
    )
    expect(lines[0]).toMatch(/^\d+ +\S+ +EMAIL +DONE +0 +0 +0 +0 +dpo-1 +\S+ +[\w-]{43}$/)
    expect(lines[1]).toMatch(/^\d+ +\S+ +PAYMENT +DONE +1 +0 +0 +1 +dpo-1 +/)
    expect(out).not.toMatch(/nobody|Ada|ada@/i)
    expect(JSON.parse((await operator(['erasures', '--json', '--limit', '1'], await eraser())).out)).toHaveLength(1)
  })

  it('is refused for what is not there, without the scope, and when it is not clear whose data', async () => {
    expect(await operator(['erase', '--link', 'nobody', '--yes'], await eraser())).toMatchObject({
      code: 1,
      err: 'NOT_FOUND: Nothing was found with this id.\n',
    })
    const reader = { SUBGRAPH_TOKEN: await tokenWith('payments:read') }
    expect(await operator(['erase', '--owner', 'nobody', '--yes'], reader)).toMatchObject({
      code: 1,
      err: 'The token in SUBGRAPH_TOKEN lacks a scope of: payments:erase\n',
    })
    for (const args of [[], ['--link', 'a', '--email', 'b'], ['nobody']])
      expect(await operator(['erase', ...args, '--yes'])).toMatchObject({ code: 2, out: '' })
  })
})

describe('the command line', () => {
  it('says that nobody answers, that something else does, and that the token is not accepted', async () => {
    expect(await operator(['deliveries', '--url', 'http://127.0.0.1:1/graphql'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^No subgraph answers at http:\/\/127\.0\.0\.1:1\/graphql/),
    })
    expect(await operator(['deliveries', '--url', `${network.app.url}/elsewhere`])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/is no subgraph: HTTP 404/),
    })
    expect(await operator(['deliveries'], { SUBGRAPH_TOKEN: 'not-a-token' })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^The token in SUBGRAPH_TOKEN is not accepted/),
    })
  })

  it('does not carry its token to where it is redirected', async () => {
    let followed = 0
    const server = createServer((request, response) => {
      if (request.url === '/other') followed += 1
      response.writeHead(307, { location: '/other' }).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const { code } = await operator(['deliveries', '--url', `http://127.0.0.1:${port}/graphql`])
    expect({ code, followed }).toEqual({ code: 1, followed: 0 })
  })

  it('works where only trusted documents run, once its own are among them', async () => {
    const { out } = await operator(['documents'])
    const path = join(network.folder, 'manifest.json')
    const asked = async (documents: string) => {
      writeFileSync(path, documents)
      const guarded = await startNetwork({ env: { TRUSTED_DOCUMENTS: path } })
      const url = `${guarded.app.url}/graphql`
      const ended = await operator(['deliveries', '--url', url], { SUBGRAPH_TOKEN: await guarded.token() })
      await guarded.close()
      return ended
    }
    expect(await asked('{}')).toMatchObject({ code: 1, err: expect.stringMatching(/trusted documents only/) })
    expect(await asked(out)).toEqual({ code: 0, out: 'No deliveries.\n', err: '' })
  })
})
