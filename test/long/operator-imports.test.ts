import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../src/cli/command-line.ts'
import { AT_REST, type ImportNode, importsOf, lastHour, payinElsewhere, reportOf } from '../support/imports.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { readPayment } from '../support/payins.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: AT_REST })))
afterAll(() => network.close())

/** A terminal whose text can be read. */
function terminalOf(isTTY: boolean) {
  let text = ''
  const write = (chunk: unknown, _encoding: string, done: () => void) => {
    text += String(chunk)
    done()
  }
  return { terminal: Object.assign(new Writable({ write }), { isTTY }), text: () => text }
}

/** Runs a command as the operator, with the scope of imports. */
async function operator(args: readonly string[], { isTTY = false, scopes = ['payments:reconcile'] as const } = {}) {
  const env = { SUBGRAPH_URL: `${network.app.url}/graphql`, SUBGRAPH_TOKEN: await network.token({ scopes }) }
  const { terminal, text } = terminalOf(isTTY)
  return { ...(await run(args, env, { output: process.stdout, terminal })), shown: text() }
}

const from = () => lastHour().from

/** What the list of payins in KRW shows now. */
async function krwPayins() {
  const { out } = await operator(['import', '--from', from(), '--json', '--site', 'krw'])
  return reportOf(JSON.parse(out) as ImportNode, 'krw', 'PAYINS')
}

describe('import', () => {
  it('compares first, then records, and reports both', async () => {
    // What other tests have made is on record.
    await operator(['import', '--from', from(), '--yes'])
    const before = (await krwPayins()).equal
    const id = await payinElsewhere(network)
    const dry = await operator(['import', '--from', from()])
    expect(dry).toMatchObject({ code: 0, err: '', shown: '' })
    expect(dry.out).toMatch(/^Dry run: nothing has been recorded\./)
    expect(dry.out).toMatch(new RegExp(`\\nkrw +PAYINS +${before + 1} +${before} +0 +1 +0 +0 +-\\n`))
    expect(dry.out).toContain(`krw PAYINS added: ${id}\n`)
    expect(dry.out).toMatch(/\nkrw +PAYMENTS +KRW +difference +1 +25000\.0 +0\.0 +0\n/)
    expect(await readPayment(network, id)).toBeNull()

    const done = await operator(['import', '--from', from(), '--to', new Date().toISOString(), '--yes'])
    expect(done.shown).toBe('1 are missing and 0 differ: they are recorded.\n')
    expect(done.out).toMatch(/^Done\. Entries that differ are being read back\./)
    expect(await readPayment(network, id)).toMatchObject({ id })
    const again = await operator(['import', '--from', from(), '--json'])
    const report = JSON.parse(again.out) as ImportNode
    expect(reportOf(report, 'krw', 'PAYINS')).toMatchObject({ listed: before + 1, equal: before + 1, added: 0 })
    expect(JSON.parse((await operator(['import', 'watch', report.id, '--json'])).out)).toEqual(report)
  })

  it('shows the progress on a terminal, and removes it at the end', async () => {
    // Answered late, so that the command asks more than once.
    const hold = { status: 429, headers: { 'retry-after': '2' }, body: {} }
    network.sandbox.control.addFault({ method: 'GET', path: '/v3/payin_links', times: 1, answer: hold })
    const { code, shown, out } = await operator(['import', '--from', from()], { isTTY: true })
    expect(code).toBe(0)
    expect(shown.replaceAll('\r\u001B[K', '<anew>')).toMatch(/^(?:<anew>\[#*-+\] \d+ %)+<anew>$/)
    expect(out).not.toContain('\u001B')
  })

  it('ends with 1 if a list was not read', async () => {
    const answer = { status: 422, body: { errors: { message: 'no' } } }
    network.sandbox.control.addFault({ method: 'GET', path: '/v2/payouts/all', times: 1, answer })
    const { code, out, err } = await operator(['import', '--from', from(), '--site', 'aud'])
    expect({ code, err }).toEqual({ code: 1, err: 'Not every list was read: aud PAYOUTS: REFUSED\n' })
    expect(out).toMatch(/^Dry run/)
  })
})

describe('reconcile', () => {
  it('compares a day that the schedule has not compared, and shows it', async () => {
    await operator(['import', '--from', from(), '--yes'])
    await payinElsewhere(network)
    const today = new Date().toISOString().slice(0, 10)
    const { code, out } = await operator(['reconcile', '--day', today])
    expect(code).toBe(0)
    expect(out).toContain(`${today}T00:00:00.000Z`)
    expect(out).toMatch(/\nall sites +PAYMENTS +KRW +difference +1 +25000\.0 /)
    const [made] = (await importsOf(network, { first: 1 })).nodes
    expect(made).toMatchObject({ state: 'DONE', daily: false })
    const without = await operator(['reconcile', '--json'])
    expect(JSON.parse(without.out)).toMatchObject({ dryRun: true, state: 'DONE' })
  })
})
