import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { freePort } from './free-port.ts'
import { temporaryFolder } from './process.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Returns the alert rules of this repository with every duration divided, so that a test need not wait for minutes. */
function rulesFor(times: number): string {
  return readFileSync('ops/alerts.yaml', 'utf8').replaceAll(
    /(?<=\[|for: )(\d+)([smhd])(?=\]|$)/gm,
    (_all, count: string, unit: string) => `${Math.ceil((Number(count) * (UNITS[unit] ?? 1)) / times)}s`,
  )
}

/** Starts a Prometheus that scrapes these nodes every two seconds. Returns what asks for the names of the alerts that fire. */
export async function startPrometheus(nodes: readonly string[], times: number): Promise<() => Promise<string[]>> {
  const folder = temporaryFolder()
  const port = await freePort()
  const config = {
    global: { scrape_interval: '2s', scrape_timeout: '2s', evaluation_interval: '1s' },
    rule_files: ['rules.yaml'],
    scrape_configs: [
      { job_name: 'payments-subgraph', static_configs: [{ targets: nodes.map((url) => new URL(url).host) }] },
    ],
  }
  writeFileSync(join(folder, 'rules.yaml'), rulesFor(times))
  // Each JSON text is YAML.
  writeFileSync(join(folder, 'prometheus.yaml'), JSON.stringify(config))
  const args = ['--config.file=prometheus.yaml', '--storage.tsdb.path=data', `--web.listen-address=127.0.0.1:${port}`]
  const child = spawn('prometheus', args, { cwd: folder, stdio: 'ignore' })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  const origin = `http://127.0.0.1:${port}`
  const isReady = async () => (await fetch(`${origin}/-/ready`)).ok
  while (!(await isReady().catch(() => false))) await sleep(100)
  return async () => {
    const { data } = (await (await fetch(`${origin}/api/v1/alerts`)).json()) as {
      data: { alerts: readonly { state: string; labels: { alertname: string } }[] }
    }
    return data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname)
  }
}
