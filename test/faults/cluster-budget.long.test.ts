import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLink } from '../support/operations.ts'
import { REFRESH } from '../support/payments.ts'
import { findPostgres } from '../support/postgres.ts'
import { type Cluster, type ClusterNode, eventually, startCluster } from './cluster.ts'

const server = await findPostgres()
const NODES = 3
const REFRESHES = 60
/** Each is refreshed at each node. */
const LINKS = REFRESHES / NODES
/** Reads per second of a site, in the long run. */
const PER_SECOND = 2
/** Reads that may come at once. */
const BURST = 2
/** For a payments API that counts them where they arrive: some are delayed on the way. */
const GENEROUS = 1.25
const TIMEOUT = 300_000

describe.skipIf(server === null)('the rate at which three nodes read a site', () => {
  let cluster: Cluster
  let nodes: ClusterNode[]
  let ids: string[]

  beforeEach(async () => {
    if (server === null) return
    cluster = await startCluster(server)
    nodes = await Promise.all(Array.from({ length: NODES }, () => cluster.startNode()))
    await cluster.leaderOf(nodes)
    const links = await Promise.all(Array.from({ length: LINKS }, (_, n) => createLink(nodeAt(n))))
    ids = links.map(({ id }) => id)
  }, TIMEOUT)
  afterEach(() => cluster?.close())

  const nodeAt = (index: number): ClusterNode => {
    const node = nodes[index % NODES]
    if (node === undefined) throw new Error('There is no node.')
    return node
  }
  const refresh = async (index: number) => {
    const { data } = await nodeAt(index).ask<{ refreshPayment: { __typename: string } } | null>(REFRESH, {
      id: ids[index % LINKS],
    })
    return data?.refreshPayment ?? null
  }
  const reads = () =>
    cluster.proxy.instants.filter((_, index) => /^GET .*payin_links\//.test(cluster.proxy.calls[index] ?? ''))

  it(
    'is that of one, when sixty refreshes are asked for at once',
    async () => {
      const before = reads().length
      const answers = await Promise.all(Array.from({ length: REFRESHES }, (_, n) => refresh(n)))
      const instants = reads().slice(before)
      const done = answers.filter((answer) => answer?.__typename === 'RefreshPaymentSuccess')
      // Each node lets ten wait for some seconds, and refuses the rest at once.
      expect(done.length).toBeGreaterThan(2 * BURST)
      expect(instants.length).toBeGreaterThanOrEqual(done.length)
      const seconds = ((instants.at(-1) ?? 0) - (instants[0] ?? 0)) / 1000
      expect((instants.length - BURST) / seconds).toBeLessThanOrEqual(PER_SECOND * GENEROUS)
    },
    TIMEOUT,
  )

  it(
    'is lower after a 429 at one of them, and a person at another one asks all the same',
    async () => {
      const answer = { status: 429, headers: { 'retry-after': '20' } }
      cluster.sandbox.control.addFault({ method: 'GET', path: '/v3/payin_links/*', times: 1, answer })
      expect(await refresh(0)).toMatchObject({ __typename: 'PaymentsUpstreamUnavailableError', retryAfterSeconds: 20 })
      await eventually('the pause is on record', async () => {
        const rows = await cluster.database.run('SELECT 1 FROM read_paces WHERE closed_until > 0')
        return rows.length > 0
      })
      const before = reads().length
      for (const index of [1, 2]) expect(await refresh(index)).toMatchObject({ __typename: 'RefreshPaymentSuccess' })
      expect(reads().length).toBe(before + 2)
    },
    TIMEOUT,
  )
})
