import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { startSandbox, type Sandbox } from 'payments-subgraph-sandbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SECRETS } from '../support/network.ts'
import { MAIN_FROM_SOURCES, settingsFor, startReady, temporaryFolder, type Child } from '../support/process.ts'
import { deliver, paymentBody } from '../support/webhooks.ts'
import { ask, followLog, knownPayments } from './process-client.ts'
import { CANARY, type Failpoint } from './process-faults.ts'
import { casesOf } from './rounds.ts'

const FAILPOINTS = fileURLToPath(new URL('./process-failpoints.ts', import.meta.url))
const CURRENCIES = '{ paymentCurrencies { code } }'

let sandbox: Sandbox
beforeAll(async () => void (sandbox = await startSandbox({ webhookSecret: SECRETS.webhook })))
afterAll(() => sandbox.close())

const UNCAUGHT: readonly Failpoint[] = [
  'a rejection',
  'a timer',
  'an event',
  'a listener of the log',
  'the tail of the log',
]

// promise(process): An uncaught error ends the process without printing its text; a contained one fails one response.
describe('what is thrown and not caught', () => {
  it.each(casesOf('what is not caught', UNCAUGHT, 2))(
    'in %s ends the process with 1, tells no payload, and loses nothing that was acknowledged',
    async (failpoint) => {
      const folder = temporaryFolder()
      const app = await startFailing(failpoint, folder)
      const uuids = [randomUUID(), randomUUID()]
      expect((await tell(app.url, uuids[0])).status).toBe(200)
      await arm(app)
      // Failpoints of the log fail at the next event, whose webhook has been acknowledged by then.
      const last = await tell(app.url, uuids[1]).catch(() => null)
      expect(await app.ended).toMatchObject({ code: 1, signal: null })
      expect(app.output()).toMatch(/^\{"level":"fatal",.*"err":\{"name":"Error","stack":\[.*uncaught error.*\}$/m)
      expect(app.output()).not.toContain(CANARY)

      const again = await startReady({ env: settingsFor(sandbox, folder) })
      const acknowledged = last?.status === 200 ? uuids : uuids.slice(0, 1)
      expect(await knownPayments(again.url, acknowledged)).toEqual(acknowledged.toSorted())
      again.child.kill('SIGTERM')
      expect(await again.ended).toMatchObject({ code: 0 })
    },
    300_000,
  )
})

describe('what is thrown and contained', () => {
  it('in a resolver fails that answer, and nothing else', async () => {
    const app = await startFailing('a resolver', temporaryFolder())
    await arm(app)
    const failed = await ask(app.url, CURRENCIES)
    expect(failed.errors).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }])
    await goesOn(app, JSON.stringify(failed))
  })

  it('in a resolver of an item fails that item, and the stream goes on', async () => {
    const app = await startFailing('a resolver of an item', temporaryFolder())
    const stream = await followLog(app.url)
    await arm(app)
    await tell(app.url)
    const failed: unknown = await stream.next().catch((error: unknown) => error)
    expect(failed).toMatchObject({ errors: [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }] })
    await stream.end()
    await goesOn(app, JSON.stringify(failed))
  })
})

type Running = Child & { readonly url: string }

function startFailing(failpoint: Failpoint, folder: string): Promise<Running> {
  const env = { ...settingsFor(sandbox, folder), FAILPOINT: failpoint }
  // The failpoints change modules, which a bundle has no more.
  return startReady({ env, preload: [FAILPOINTS], main: MAIN_FROM_SOURCES })
}

async function arm(app: Running): Promise<void> {
  const armed = new Promise<void>((resolve) => {
    app.child.stdout?.on('data', () => app.output().includes('armed\n') && resolve())
  })
  app.child.kill('SIGUSR2')
  await armed
}

function tell(url: string, uuid: string = randomUUID()) {
  return deliver(`${url}/webhooks/payments`, paymentBody({ uuid }))
}

async function readiness(url: string): Promise<[number, unknown]> {
  const response = await fetch(`${url}/health/ready`)
  return [response.status, await response.json()]
}

/** Asserts that the program still accepts webhooks and answers probes, and that the canary appears nowhere. */
async function goesOn(app: Running, told: string): Promise<void> {
  expect((await tell(app.url)).status).toBe(200)
  await expect.poll(() => readiness(app.url)).toEqual([200, { status: 'ok' }])
  expect(app.child.exitCode).toBeNull()
  expect(`${told}${app.output()}`).not.toContain(CANARY)
}
