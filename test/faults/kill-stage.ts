import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startSandbox, type Sandbox } from 'payments-subgraph-sandbox'
import { SECRETS, settingsFor } from '../support/app-settings.ts'
import type { CommandWorld } from '../support/commands.ts'
import { freePort } from '../support/free-port.ts'
import { V1_SITES } from '../support/payouts.ts'
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts'
import { startArmedApp, type ArmedApp } from './armed-app.ts'

/** An app that can be killed and started again with the same data, a sandbox that keeps running, and the proxy between them. */
export type KillStage = CommandWorld & {
  readonly sandbox: Sandbox
  readonly proxy: UpstreamProxy
  readonly app: ArmedApp
  /** Starts the app again after its death, on a clock at which the leases of its commands have expired. */
  restart(): Promise<void>
  /** Returns the key of the command that has an attempt with this correlation id; null if there is none. */
  keyOf(ref: string): string | null
  close(): Promise<void>
}

const DAY_MS = 24 * 3_600_000
/** In milliseconds: the lease of a command, and the time after which a link that was not found may be created again, are 30 seconds. */
const BETWEEN_LIVES_MS = 30_001

export async function startKillStage(): Promise<KillStage> {
  const folder = mkdtempSync(join(tmpdir(), 'killed-'))
  // With these intervals no status changes by itself.
  const sandbox = await startSandbox({ webhookSecret: SECRETS.webhook, paceMs: DAY_MS, mandateMs: DAY_MS })
  const proxy = await startUpstreamProxy()
  proxy.target = sandbox.origin
  const env = settingsFor({
    folder,
    port: String(await freePort()),
    sandbox,
    options: { upstreamUrl: proxy.url, env: V1_SITES },
  })
  let clockAheadMs = 0
  let app = await startArmedApp({ env, clockAheadMs })

  return {
    sandbox,
    proxy,
    get app() {
      return app
    },
    ask: (...question) => app.ask(...question),
    async restart() {
      await app.died()
      clockAheadMs += BETWEEN_LIVES_MS
      await sandbox.control.advance(BETWEEN_LIVES_MS / 1_000)
      app = await startArmedApp({ env, clockAheadMs })
    },
    keyOf(ref) {
      const database = new DatabaseSync(join(folder, 'payments.db'), { readOnly: true })
      try {
        const query =
          'SELECT key FROM command_refs JOIN commands ON commands.id = command_id WHERE command_refs.ref = ?'
        return (database.prepare(query).get(ref) as { key: string } | undefined)?.key ?? null
      } finally {
        database.close()
      }
    },
    async close() {
      await app.kill()
      await sandbox.close()
      await proxy.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
