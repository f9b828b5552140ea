import { execFile, spawnSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { parseConfig } from '../../src/config.ts'
import { SETTING_NAMES } from '../../src/config/reading.ts'
import { mostEndMs } from '../../src/run-server.ts'
import { typeFaults } from '../guides/snippets.ts'
import { startNetwork } from '../support/network.ts'
import { temporaryFolder } from '../support/process.ts'
import { hasTool } from '../support/tools.ts'

/** Earlier versions, such as that of Debian 12, contain a Kustomize that cannot read a base. */
const LEAST_MINOR = 21

function canRender(): boolean {
  if (!hasTool('kubectl', 'kubernetes-client')) return false
  const { stdout } = spawnSync('kubectl', ['version', '--client', '--output=json'], { encoding: 'utf8' })
  const { clientVersion } = JSON.parse(stdout) as { clientVersion: { minor: string } }
  if (Number.parseInt(clientVersion.minor, 10) >= LEAST_MINOR) return true
  process.stderr.write(`kubectl is older than 1.${LEAST_MINOR}, so tests are skipped.\n`)
  return false
}

type Manifest = { readonly apiVersion: string; readonly kind: string; readonly metadata: { readonly name: string } }
type ConfigMap = Manifest & { readonly data: Readonly<Record<string, string>> }
type Deployment = Manifest & {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number
        readonly containers: readonly [
          {
            readonly image: string
            readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
            readonly envFrom: readonly { readonly configMapRef?: { readonly name: string } }[]
            readonly env: readonly { readonly name: string }[]
          },
        ]
      }
    }
  }
}
type Autoscaler = Manifest & {
  readonly spec: { readonly metrics: readonly [{ readonly pods: { readonly metric: { readonly name: string } } }] }
}

/** What the existing secret has. */
const SECRET = {
  DATABASE_URL: 'postgres://payments:secret@db.example:5432/payments?sslmode=verify-full',
  UPSTREAM_SITES: '[{"id":"au","appId":"a","secretKey":"s","currencies":["AUD"]}]',
  WEBHOOK_SECRETS: 'webhook-secret-of-a-merchant',
  SIGNING_KEYS: 'a'.repeat(64),
  ROUTER_SECRETS: 'secret-of-the-router',
}

function render(overlay: string) {
  const args = ['kustomize', resolve('ops/kubernetes/overlays', overlay)]
  const { status, stdout, stderr } = spawnSync('kubectl', args, { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  const manifests = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest)
  const one = (kind: string): unknown => manifests.find((each) => each.kind === kind)
  return { manifests, one }
}

describe.skipIf(!canRender()).each(['production', 'sandbox'])('the overlay %s', (overlay) => {
  it('is valid by the schemas of Kubernetes, and has no unknown field', async () => {
    const folder = temporaryFolder()
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
    const { manifests } = render(overlay)
    expect(manifests.length).toBeGreaterThan(5)
    const statements = manifests.map(({ apiVersion, kind, ...fields }, index) =>
      [
        `import { ${kind} as Kind${index} } from 'kubernetes-models/${apiVersion}'`,
        `new Kind${index}(${JSON.stringify(fields)}).validate()`,
      ].join('\n'),
    )
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(folder, 'manifests.ts'), statements.join('\n'))
    expect(typeFaults({ folder })).toBe('')
    await promisify(execFile)(process.execPath, ['manifests.ts'], { cwd: folder })
  })

  it('has settings of production, of which nothing is missing and none is wrong', () => {
    const { one } = render(overlay)
    const [container] = (one('Deployment') as Deployment).spec.template.spec.containers
    const { metadata, data } = one('ConfigMap') as ConfigMap
    expect(container.envFrom.map(({ configMapRef }) => configMapRef?.name)).toEqual([metadata.name, undefined])
    const names = [...Object.keys(data), ...container.env.map(({ name }) => name)]
    expect(names.filter((name) => name !== 'NODE_ENV' && !SETTING_NAMES.includes(name))).toEqual([])
    const parsed = parseConfig({ ...SECRET, ...data, HOST: '0.0.0.0', ADMIN_HOST: '10.0.0.7' })
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults))
    const { production, http, monitoring, upstream } = parsed.config
    expect([production, upstream.environment]).toEqual([true, overlay])
    const ports = container.ports.map(({ name, containerPort }) => [name, containerPort])
    expect(ports).toEqual([
      ['http', http.port],
      ['metrics', monitoring.admin?.port],
    ])
    const { terminationGracePeriodSeconds } = (one('Deployment') as Deployment).spec.template.spec
    expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThan(mostEndMs(parsed.config))
  })

  it('scales by a metric that nodes have', async () => {
    const network = await startNetwork()
    onTestFinished(() => network.close())
    const text = await (await fetch(`${network.app.url}/metrics`)).text()
    const [{ pods }] = (render(overlay).one('HorizontalPodAutoscaler') as Autoscaler).spec.metrics
    expect(text).toMatch(new RegExp(`^${pods.metric.name} \\d`, 'm'))
  })
})
