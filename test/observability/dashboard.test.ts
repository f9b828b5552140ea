import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { lacks } from '../faults/means.ts'
import { startNetwork } from '../support/network.ts'
import { temporaryFolder } from '../support/process.ts'

const { panels } = JSON.parse(readFileSync('ops/dashboard.json', 'utf8')) as {
  panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
}
const panelled = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))

it.skipIf(lacks('promtool'))('each expression of the dashboard is one of Prometheus', () => {
  const rules = panelled.map((expr, n) => ({
    record: `panel:${n}`,
    expr: expr.replaceAll('$__rate_interval', '5m'),
  }))
  const path = join(temporaryFolder(), 'rules.yaml')
  writeFileSync(path, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
  const { status, stderr } = spawnSync('promtool', ['check', 'rules', path], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

it('dashboard and alerts name metrics that a node has', async () => {
  const network = await startNetwork()
  onTestFinished(() => network.close())
  const metrics = await (await fetch(`${network.app.url}/metrics`)).text()
  const rules = readFileSync('ops/alerts.yaml', 'utf8')
  const known = new Set([
    ...Array.from(metrics.matchAll(/^# TYPE (\w+)/gm), ([, name]) => name),
    ...Array.from(rules.matchAll(/record: (\S+)/g), ([, name]) => name),
    // Those of a database server and of Redis, which this node has not.
    'payments_wake_ups_connected',
    'payments_redis_connected',
  ])
  const named = [rules, ...panelled].flatMap((text) => text.match(/\b(?:payments|process)[_:][\w:]+/g) ?? [])
  expect(named.length).toBeGreaterThan(80)
  expect([...new Set(named)].filter((name) => !known.has(name.replace(/_(?:bucket|count|sum)$/, '')))).toEqual([])
})
