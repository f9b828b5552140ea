import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startFrontProxy, type FrontProxy } from '../client/front-proxy.ts'
import { projectOf, typeFaults } from '../guides/snippets.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { compileForRelay } from './relay.ts'

const PAGE = '../clients.md'

let network: Network
let proxy: FrontProxy
beforeAll(async () => {
  network = await startNetwork()
  proxy = await startFrontProxy(network.app.url)
})
afterAll(async () => {
  await proxy.close()
  await network.close()
})

/** Prints what the store of Relay has of the payment and its link, after the last item. */
const RELAY_PROGRAM = `
import relay from 'relay-runtime'
import { environment } from './relay-environment.ts'
import { LINK_ID, show } from './follow-link.ts'
import subscription from './__generated__/relayFollowSubscription.graphql.ts'
import query from './__generated__/relayViewQuery.graphql.ts'
relay.requestSubscription(environment, {
  subscription,
  variables: { id: LINK_ID },
  onNext: (data) => {
    show(data)
    const { payment } = data.paymentLinkUpdates
    if (payment?.phase !== 'SUCCEEDED') return
    console.log('store', payment.id === payment.link.id, payment.link.state)
    const held = relay.createOperationDescriptor(relay.getRequest(query), { nodeId: payment.link.nodeId })
    console.log('held', environment.check(held).status)
    relay.fetchQuery(environment, query, { nodeId: payment.nodeId }).subscribe({
      next: ({ paymentsNode }) => console.log('node', paymentsNode.phase, paymentsNode.refunds.length),
      error: console.error,
    })
  },
  onError: console.error,
})
`

const PROGRAMS = ['graphql-ws', 'apollo', 'urql', 'relay']

it(
  'resumes a stream in every client after an outage, without a hole and without a repeat',
  { timeout: 300_000 },
  async () => {
    const link = await createLink(network)
    const env = { PAYMENTS_URL: proxy.url, PAYMENTS_TOKEN: await network.token(), LINK_ID: link.id }
    const { folder, run } = projectOf(PAGE, env)
    expect(typeFaults({ folder }, { lib: ['ES2024', 'DOM'] })).toBe('')
    for (const name of PROGRAMS.slice(0, 3))
      writeFileSync(join(folder, `run-${name}.ts`), `import { follow } from './${name}.ts'\nfollow()\n`)
    writeFileSync(join(folder, 'run-relay.ts'), RELAY_PROGRAM)
    compileForRelay(folder, ['relayFollowSubscription', 'relayViewQuery'])

    const programs = PROGRAMS.map((name) => run(`run-${name}.ts`))
    await Promise.all(programs.map((program) => program.line(/^CAUGHT_UP/)))
    proxy.refused.add('socket')
    proxy.cut()
    await network.sandbox.control.setStatus(link.id, 'pending')
    await network.sandbox.control.setStatus(link.id, 'authorised')
    await expect.poll(() => statuses(link.id)).toEqual(['pending', 'authorised'])
    proxy.refused.delete('socket')
    await Promise.all(programs.map((program) => program.line(/^EVENT authorised/)))
    await network.sandbox.control.setStatus(link.id, 'received')
    await Promise.all(programs.map((program) => program.line(/^EVENT received/)))
    for (const program of programs)
      expect(program.lines().filter((line) => line.startsWith('EVENT'))).toEqual([
        'EVENT pending',
        'EVENT authorised',
        'EVENT received',
      ])
    expect(await programs.at(-1)?.line(/^store/)).toMatch(/PAID$/)
    expect(await programs.at(-1)?.line(/^held/)).toBe('held available')
    expect(await programs.at(-1)?.line(/^node/)).toBe('node SUCCEEDED 0')
  },
)

async function statuses(id: string): Promise<unknown> {
  const { data } = await network.ask<{ paymentLink: { events: { nodes: { toStatus: string | null }[] } } }>(
    'query Events($id: ID!) { paymentLink(id: $id) { events(first: 20) { nodes { toStatus } } } }',
    { id },
  )
  return data.paymentLink.events.nodes.flatMap(({ toStatus }) => toStatus ?? [])
}
