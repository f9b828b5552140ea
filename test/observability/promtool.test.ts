import { spawnSync } from 'node:child_process'
import { expect, it, onTestFinished } from 'vitest'
import { lacks } from '../faults/means.ts'
import { pay } from '../support/checkout.ts'
import { startNetwork } from '../support/network.ts'
import { createLink } from '../support/operations.ts'

it.skipIf(lacks('promtool'))("metrics keep Prometheus's conventions", async () => {
  const network = await startNetwork()
  onTestFinished(() => network.close())
  const link = await createLink(network)
  await pay(link.checkoutUrl)
  await network.sandbox.settle()
  const input = await (await fetch(`${network.app.url}/metrics`)).text()
  expect(input).toContain('payments_webhook_store_duration_seconds_bucket{kind="payments"')
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
})
