import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { issueDevelopmentToken } from '../../src/access/issue-token.ts'
import { Secret } from '../../src/keys/key-ring.ts'
import { SECRETS } from '../support/network.ts'
import { type Answers, names, sendWebhooks } from './kill-senders.ts'
import { judge, lost } from './kill-verdict.ts'
import { type KillableApp, startApp } from './killable-app.ts'
import { lacks } from './means.ts'

// promise(kept): While the disk is full, webhooks get 503; with room again they get 200, without a restart.
describe.skipIf(lacks('tmpfs'))('a full disk', () => {
  let folder: string
  let app: KillableApp & { readonly url: string }

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'payments-full-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder])
    app = await startApp({ path: join(folder, 'payments.db') })
  })

  afterEach(async () => {
    await app.kill()
    execFileSync('umount', [folder])
    rmdirSync(folder)
  })

  it('refuses with 503, goes on answering questions, and takes webhooks again once there is room', async () => {
    const filling = await send('filling', 16, 400)
    expect(filling.acknowledged.size).toBeGreaterThan(0)
    // A smaller batch can use the space that a rejected one had claimed: the disk is full when every batch is rejected.
    const last = await send('last', 1, 60)
    const refused = [...last.refused.keys()]
    expect(refused.slice(-20)).toEqual(Array.from({ length: 20 }, (_, n) => `last-${n + 40}`))
    expect(new Set([...filling.refused.values(), ...last.refused.values()])).toEqual(new Set([503]))
    expect(await readPayment('filling-0')).toMatchObject({ status: 'PENDING' })

    execFileSync('mount', ['-o', 'remount,size=16m', folder])
    const again = await send('filling', 16, 400)
    const fresh = await send('fresh', 16, 100)
    expect([again.acknowledged.size, fresh.acknowledged.size]).toEqual([400, 100])

    await app.kill()
    const verdict = judge(join(folder, 'payments.db'))
    expect(verdict.faults).toEqual([])
    expect(lost([...again.acknowledged, ...fresh.acknowledged, ...last.acknowledged], verdict)).toEqual([])
    expect(lost(refused, verdict)).toEqual(refused)
  })

  function send(prefix: string, senders: number, count: number): Promise<Answers> {
    return sendWebhooks({ url: app.url, senders, next: names(prefix, count), padding: 4_000 })
  }

  async function readPayment(id: string): Promise<unknown> {
    const token = await issueDevelopmentToken(new Secret(SECRETS.jwt), {
      scopes: ['payments:read'],
      subject: 'tester',
      ttlSeconds: 60,
    })
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query: 'query ($id: ID!) { payment(id: $id) { status } }', variables: { id } }),
    })
    const { data } = (await response.json()) as { data: { payment: unknown } }
    return data.payment
  }
})
