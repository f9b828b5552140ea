import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandbox } from 'payments-subgraph-sandbox'
import type { Sandbox, SandboxOptions } from 'payments-subgraph-sandbox'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { call, control, createLink, press, startReceiver, type Receiver } from '../support.ts'

describe('a sandbox with a file', () => {
  let statePath: string
  let receiver: Receiver
  beforeEach(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-state-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    statePath = join(folder, 'deep', 'sandbox.db')
    receiver = await startReceiver()
  })

  async function start(options: SandboxOptions = {}): Promise<Sandbox> {
    const sandbox = await startSandbox({ statePath, defaultWebhook: { endpointUrl: receiver.url }, ...options })
    onTestFinished(() => sandbox.close())
    return sandbox
  }

  test('goes on after a restart with everything that it had, also its clock', async () => {
    const first = await start()
    const uuid = await createLink(first, {
      payin_method_code: 'au_card_aud',
      meta_data: { weight: 1.5, exact: 12345678.5 },
    })
    await first.control.setStatus(uuid, 'received')
    await first.clock.advance(3_600_000)
    first.control.addFault({ path: '/v3/payin_links', method: 'GET', times: 3, answer: { status: 503 } })
    const shown = await textOf(first, uuid)
    const before = comparable(first)
    await first.close()
    expect(statSync(statePath).mode & 0o077).toBe(0)
    const second = await start()
    expect(comparable(second)).toEqual(before)
    expect(second.clock.now().getTime() - Date.now()).toBeGreaterThan(3_500_000)
    expect(await textOf(second, uuid)).toBe(shown)
    expect(second.control.webhooks().map(({ outcome }) => outcome)).toEqual(['delivered'])
    const [webhook] = second.control.webhooks()
    await second.control.resend(webhook?.id ?? '')
    expect(receiver.received[1]).toMatchObject({ body: receiver.received[0]?.body })
    expect(await createLink(second)).not.toBe(uuid)
  })

  test('continues the steps and retries that were planned', async () => {
    receiver.answer(500)
    const first = await start({ paceMs: 60_000 })
    const uuid = await createLink(first)
    await press(first, uuid, 'pay')
    await first.settle()
    expect(first.control.webhooks()).toMatchObject([{ status: 'pending', outcome: 'retrying' }])
    await first.close()
    receiver.answer(200)
    const second = await start({ paceMs: 60_000 })
    await second.clock.advance(3 * 60_000)
    expect(second.control.state().links).toMatchObject([{ status: 'received' }])
    await second.clock.advance(15 * 60_000)
    expect(second.control.webhooks()[0]).toMatchObject({ status: 'pending', outcome: 'delivered' })
    expect(new Set(receiver.statuses())).toEqual(new Set(['pending', 'authorised', 'waiting', 'received']))
    await second.clock.advance(30 * 60_000)
    expect(second.control.state().links).toMatchObject([{ status: 'received' }])
  })

  test('is empty after a reset, also after a restart', async () => {
    const first = await start()
    await createLink(first)
    await first.clock.advance(3_600_000)
    expect(await control(first, '/reset', {})).toMatchObject({ status: 204 })
    const isEmpty = ({ control: controls, clock }: Sandbox) => {
      expect(controls.state()).toMatchObject({ links: [], counters: { links: 0, webhooks: 0, calls: 0 } })
      expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(60_000)
    }
    isEmpty(first)
    await first.close()
    isEmpty(await start())
  })

  test('refuses a file that is no database, and releases its port', async () => {
    const path = join(statePath, '..', '..', 'text.db')
    writeFileSync(path, 'This is a text, and no database of any kind.'.repeat(40))
    const other = await startSandbox()
    const port = Number(new URL(other.origin).port)
    await other.close()
    await expect(startSandbox({ statePath: path, port })).rejects.toThrow(/cannot be kept in .*text\.db/)
    await (await startSandbox({ port })).close()
  })
})

/** Returns the response to a read of a link, without the address of its sandbox. */
async function textOf(sandbox: Sandbox, uuid: string): Promise<string> {
  const { status, text } = await call(sandbox, `/v3/payin_links/${uuid}`)
  expect(status).toBe(200)
  return text.replaceAll(sandbox.origin, 'http://sandbox')
}

/** Everything but what differs between two processes: the time, the number of changes, and addresses with the port. */
function comparable({ control: controls, origin }: Sandbox): unknown {
  const { now: _now, version: _version, ...state } = controls.state()
  const all = { state, webhooks: controls.webhooks(), calls: controls.calls(), faults: controls.faults() }
  return JSON.parse(JSON.stringify(all).replaceAll(origin, 'http://sandbox'))
}
