import { randomInt, randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSandbox, type Sandbox } from 'payments-subgraph-sandbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SECRETS } from '../support/network.ts'
import { settingsFor, startReady, temporaryFolder, written } from '../support/process.ts'
import { openSqliteStore } from '../support/store.ts'
import { sendUntilRefused, type Sent } from './drain-load.ts'
import { halfSentWebhook, silentUpgrade } from './drain-peers.ts'
import { followLog } from './process-client.ts'
import { rounds } from './rounds.ts'

const ROUNDS = rounds({ few: 3, many: 50 })

let sandbox: Sandbox
beforeAll(async () => void (sandbox = await startSandbox({ webhookSecret: SECRETS.webhook })))
afterAll(() => sandbox.close())

// promise(process): On SIGTERM running webhooks are answered, sockets are told to reconnect, and the process exits with
// 0 in time.
describe('a drain', () => {
  it(
    'under load resets nothing that was in flight, and loses nothing that was acknowledged',
    async () => {
      const folder = temporaryFolder()
      const acknowledged: string[] = []
      for (let round = 1; round <= ROUNDS; round++) {
        const app = await startReady({ env: settingsFor(sandbox, folder) })
        const streams = await Promise.all(Array.from({ length: 5 }, () => followLog(app.url)))
        const sending = sendUntilRefused(app.url, 8)
        const after = randomInt(20, 300)
        await sleep(after)
        const asked = performance.now()
        app.child.kill('SIGTERM')
        const what = `round ${round}, SIGTERM after ${after} ms`
        const { code, signal } = await app.ended
        expect({ what, code, signal }).toEqual({ what, code: 0, signal: null })
        for (const stream of streams) expect((await stream.closed).code).toBe(1012)

        const sent = await sending
        const wrong = sent.filter((one) => !isRight(one, asked))
        acknowledged.push(...sent.filter(({ result }) => result === 200).map(({ uuid }) => uuid))
        expect({ what, wrong, lost: await missing(folder, acknowledged) }).toEqual({ what, wrong: [], lost: [] })
      }
      expect(acknowledged.length).toBeGreaterThan(ROUNDS)
    },
    ROUNDS * 20_000,
  )

  it('ends with 0 although a client ignores the close frame, and another keeps its connection', async () => {
    const app = await startReady({ env: settingsFor(sandbox, temporaryFolder()) })
    const agent = new Agent({ keepAlive: true })
    await new Promise<void>((resolve, reject) => {
      request(`${app.url}/health/live`, { agent }, (response) => response.resume().once('end', resolve))
        .once('error', reject)
        .end()
    })
    const silent = await silentUpgrade(app.url)
    app.child.kill('SIGTERM')
    expect(await app.ended).toMatchObject({ code: 0, signal: null })
    expect(silent.closeCode()).toBe(1012)
    agent.destroy()
  })

  it('is cut short by a second signal', async () => {
    const app = await startReady({ env: settingsFor(sandbox, temporaryFolder()) })
    await halfSentWebhook(app.url, randomUUID())
    app.child.kill('SIGTERM')
    await written(app, '"msg":"draining"')
    app.child.kill('SIGTERM')
    expect(await app.ended).toMatchObject({ code: 1, signal: null })
  })
})

/**
 * Returns whether the result of a webhook is correct: one sent before the signal is answered; a later one can be told to retry, or can fail
 * to connect.
 */
function isRight({ at, result, retryAfter }: Sent, asked: number): boolean {
  if (result === 200) return true
  if (result === 503) return retryAfter !== null
  return at > asked && (result === 'ECONNREFUSED' || result === 'ECONNRESET')
}

/** Returns those of these payments that the database does not contain. */
async function missing(folder: string, uuids: readonly string[]): Promise<string[]> {
  const store = await openSqliteStore({ path: join(folder, 'payments.db') })
  try {
    const known = new Set<string>()
    for (let from = 0; from < uuids.length; from += 500)
      for (const { id } of await store.payments.byIds(uuids.slice(from, from + 500))) known.add(id)
    return uuids.filter((uuid) => !known.has(uuid))
  } finally {
    await store.close()
  }
}
