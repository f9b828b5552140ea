import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { startSandbox, type Sandbox } from 'payments-subgraph-sandbox'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { watchPaymentEvents } from '../../packages/client/src/index.ts'
import { keep, QUICK } from '../client/watching.ts'
import { startLoad } from '../faults/node-load.ts'
import { developerToken } from '../faults/process-client.ts'
import { FULL, rounds } from '../faults/rounds.ts'
import { SECRETS } from '../support/app-settings.ts'
import { type Balancer, hasCaddy, prepareBalancer } from '../support/caddy.ts'
import { pay } from '../support/checkout.ts'
import { freePort } from '../support/free-port.ts'
import { type Database, findPostgres, type PostgresServer } from '../support/postgres.ts'
import { type Child, startReady, temporaryFolder } from '../support/process.ts'
import { projectOf, snippetsOf, typeFaults } from './snippets.ts'

const GUIDE = 'cluster.md'
const ROUNDS = rounds({ few: 1, many: 10 })
/** How long a network may still lead to a node that is not ready. */
const ENDPOINT_DELAY_MS = 5_000
/** How long the payments API takes for each command. On a busy machine five seconds leave too little of the eight that a command has. */
const SLOW_MS = FULL ? 5_000 : 2_000
const server = await findPostgres()
const canRun = server !== null && hasCaddy()

type Node = { readonly address: string; process: Child; start(): Promise<void> }

it('the guide for a cluster is written in sound types', () => {
  expect(typeFaults(projectOf(GUIDE, {}), { lib: ['ES2024', 'DOM', 'DOM.AsyncIterable'] })).toBe('')
})

// promise(kept): A rolling restart of three nodes loses nothing, and no request gets a 5xx; a stream whose node is killed continues at another,
// without a gap or duplicate.
describe.skipIf(!canRun)('the guide for a cluster', () => {
  const ends: (() => void)[] = []
  let database: Database
  let sandbox: Sandbox
  let balancer: Balancer
  let nodes: Node[]

  beforeAll(async () => {
    const onEnd = (end: () => void) => void ends.push(end)
    const folder = temporaryFolder(onEnd)
    database = await (server as PostgresServer).createDatabase({ migrated: true })
    // With its fixed credentials, which the guide names.
    sandbox = await startSandbox()
    const prepared = await prepareBalancer(folder)
    const settings = parseEnv(snippetsOf(GUIDE).get('cluster.env') ?? '') as Record<string, string>
    const env = {
      ...settings,
      UPSTREAM_URL: sandbox.url,
      DATABASE_URL: database.url,
      PUBLIC_URL: prepared.url,
      // The keys of the tests' clients and of their webhooks.
      JWT_SECRETS: SECRETS.jwt,
      WEBHOOK_SECRETS: `${settings['WEBHOOK_SECRETS']},${SECRETS.webhook}`,
      WARM_UP_MS: '0',
      SHUTDOWN_DELAY_MS: '8000',
    }
    const createNode = async (): Promise<Node> => {
      const port = String(await freePort())
      const start = () => startReady({ env: { ...env, PORT: port }, cwd: folder }, onEnd)
      const node: Node = {
        address: `127.0.0.1:${port}`,
        process: await start(),
        async start() {
          node.process = await start()
        },
      }
      return node
    }
    nodes = await Promise.all([createNode(), createNode(), createNode()])
    balancer = await prepared.start(nodes.map(({ address }) => address))
  })

  afterAll(async () => {
    await balancer?.stop()
    for (const end of ends) end()
    await sandbox?.close()
    await database?.drop()
  })

  /** Returns the nodes at which a stream is open. */
  async function nodesWithStreams(): Promise<Node[]> {
    const open = await Promise.all(
      nodes.map(async ({ address }) => {
        const text = await (await fetch(`http://${address}/metrics`)).text()
        return Number(/^payments_streams_open (\d+)$/m.exec(text)?.[1] ?? 0)
      }),
    )
    return nodes.filter((_, index) => open[index] !== 0)
  }

  it('has a stream that goes on at another node when its own is killed', async () => {
    const token = await developerToken()
    // Those of other tests end a moment after them.
    await expect.poll(nodesWithStreams).toEqual([])
    const follower = projectOf(GUIDE, { CLUSTER_URL: balancer.url, PAYMENTS_TOKEN: token }).run('follow.ts')
    const checkoutUrl = (await follower.line(/^pay at /)).slice('pay at '.length)
    await follower.line(/^CAUGHT_UP/)
    await expect.poll(nodesWithStreams).toHaveLength(1)
    const [node] = (await nodesWithStreams()) as [Node]
    node.process.child.kill('SIGKILL')
    onTestFinished(() => node.start())
    await node.process.ended
    await follower.line(/^connection reconnecting$/)
    await pay(checkoutUrl)
    const lines = (await follower.output()).split('\n')
    const sequences = lines.flatMap((line) => /^EVENT (\d+) /.exec(line)?.[1] ?? []).map(Number)
    expect(sequences.length).toBeGreaterThan(1)
    expect(sequences).toEqual(sequences.map((_, index) => (sequences[0] ?? 0) + index))
    expect(lines.findLast((line) => line.startsWith('EVENT'))).toMatch(/^EVENT \d+ RECEIVED$/)
  })

  it('has a load balancer that passes on server-sent events as they come', async () => {
    const abort = new AbortController()
    onTestFinished(() => abort.abort())
    const response = await fetch(`${balancer.url}/graphql/stream`, {
      method: 'POST',
      signal: abort.signal,
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        authorization: `Bearer ${await developerToken()}`,
      },
      body: JSON.stringify({ query: 'subscription { paymentEventStream { kind cursor } }' }),
    })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const decoder = new TextDecoder()
    let text = ''
    for await (const part of response.body as ReadableStream<Uint8Array>) {
      text += decoder.decode(part, { stream: true })
      if (text.includes('CAUGHT_UP')) return
    }
    throw new Error(`The stream ended: ${text}`)
  })

  // Beyond the load balancer, clients use each node directly until it has been ending for five seconds, as in a network that notices late.
  it(
    'has rolling restarts without an error, that lose nothing, and no event of a stream',
    async () => {
      const [{ last: before } = {}] = await database.run('SELECT position AS last FROM log_head')
      const watching = keep((options) =>
        watchPaymentEvents(
          {},
          { ...options, url: `${balancer.url}/graphql`, token: developerToken, timing: QUICK, transports: ['socket'] },
        ),
      )
      onTestFinished(() => void watching.leave())
      await watching.until(({ kind }) => kind === 'CAUGHT_UP')
      const slow = { method: 'POST', path: '/v3/payin_links', times: 1_000_000, answer: { delayMs: SLOW_MS } }
      sandbox.control.addFault(slow)
      onTestFinished(() => sandbox.control.clearFaults())
      const urls = nodes.map(({ address }) => `http://${address}`)
      const load = startLoad([balancer.url, ...urls], { commands: 4, queries: 2 })
      for (let round = 1; round <= ROUNDS; round += 1) {
        for (const [index, node] of nodes.entries()) {
          await load.more()
          node.process.child.kill('SIGTERM')
          await sleep(ENDPOINT_DELAY_MS)
          load.nodes.delete(urls[index] ?? '')
          expect(await node.process.ended).toMatchObject({ code: 0, signal: null })
          await node.start()
          load.nodes.add(urls[index] ?? '')
        }
      }
      await load.more()
      await load.stop()
      expect(load.faults).toEqual([])
      expect([...load.answers.keys()].toSorted()).toEqual(['command 200', 'query 200', 'webhook 200'])
      const stored = new Set((await database.run('SELECT id FROM payments')).map(({ id }) => id))
      expect([...load.payments].filter((id) => !stored.has(id))).toEqual([])
      const links = new Set((await database.run('SELECT id FROM links')).map(({ id }) => id))
      expect([...load.links].filter((id) => !links.has(id))).toEqual([])

      const [{ last } = {}] = await database.run('SELECT position AS last FROM log_head')
      const count = Number(last) - Number(before)
      const events = () => watching.updates.flatMap(({ event }) => event?.id ?? [])
      await watching.until(() => events().length >= count)
      expect(events()).toHaveLength(count)
      expect(new Set(events()).size).toBe(count)
    },
    ROUNDS * 180_000,
  )
})
