import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startNetwork } from '../support/network.ts'
import { temporaryFolder } from '../support/process.ts'
import { openSqliteStore } from '../support/store.ts'

it('an app that cannot listen leaves its database to others', async () => {
  const other = await startNetwork()
  onTestFinished(() => other.close())
  const path = join(temporaryFolder(), 'payments.db')
  const env = { PORT: new URL(other.app.url).port, DATABASE_URL: `file:${path}` }
  await expect(startNetwork({ env, upstreamUrl: other.sandbox.url })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  const store = await openSqliteStore({ path })
  await store.close()
})
