import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type FieldNode,
  isObjectType,
  Kind,
  parse,
  print,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { projectOf } from '../guides/snippets.ts'
import { documentFor, schema } from '../rights/selection.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { paidStream } from '../support/streams.ts'
import { compileForRelay } from './relay.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ env: { GRAPHQL_LIMITS: 'cost=100000,tokens=2000' } })))
afterAll(() => network.close())

const OPERATIONS = {
  payment: `query relayCachesPaymentQuery($id: ID!) {
    payment(id: $id) { id nodeId status version amount { value } refunds { id nodeId state } link { id nodeId state } } }`,
  events: `query relayCachesEventsQuery($id: ID!) { paymentEvents(first: 20, filter: { paymentIds: [$id] }) { nodes {
    id kind before { status amount { value currency } } after { status failure { code } amount { value } } refund { refundId state }
    payment { id nodeId status version amount { value currency } refunds { id nodeId state } }
    link { id nodeId state payment { id nodeId status version } } } } }`,
  updates: `subscription relayCachesUpdatesSubscription($id: ID!, $after: String) { paymentUpdates(id: $id, after: $after) {
    kind cursor previousCursor event { id after { status } payment { id nodeId status version } }
    payment { id nodeId status version } link { id nodeId state } } }`,
}

/** Prints what a cache holds of the payment after each answer and each item, and every warning; those of Apollo Client need `__DEV__`. */
const DRIVE = `import { format } from 'node:util'
globalThis.__DEV__ = true
console.warn = console.error = (...words) => console.log('WARNING', format(...words).replaceAll('\\n', ' '))
const { PAYMENT_ID: id = '', AFTER: after = '' } = process.env
type Held = { payment: { status: string; version: number; link: { state: string }; amount: { value: string } } }
type Item = { paymentUpdates: { kind: string } }
export async function drive({ ask, follow, held }: {
  ask(operation: 'payment' | 'events', variables: { id: string }): Promise<unknown>
  follow(variables: { id: string; after: string }, next: (data: Item) => void): void
  held(variables: { id: string }): Held
}) {
  const show = (step: string) => {
    const { status, version, link, amount } = held({ id }).payment
    console.log(step, status, version, link.state, amount.value)
  }
  for (const operation of ['payment', 'events', 'payment', 'events'] as const) {
    await ask(operation, { id })
    show(operation)
  }
  follow({ id, after }, ({ paymentUpdates }) => show(paymentUpdates.kind))
}
`

const PROGRAMS = {
  apollo: `import { drive } from './drive.ts'
import { gql } from '@apollo/client'
import { client } from './apollo.ts'
import { documents, everything } from './operations.ts'
for (const { query, variables } of everything) await client.query({ query: gql(query), variables, fetchPolicy: 'network-only' })
await drive({
  ask: (name, variables) => client.query({ query: gql(documents[name]), variables, fetchPolicy: 'network-only' }),
  follow: (variables, next) => client.subscribe({ query: gql(documents.updates), variables }).subscribe(({ data }) => next(data)),
  held: (variables) => client.readQuery({ query: gql(documents.payment), variables }),
})
`,
  urql: `import { client } from './urql.ts'
import { drive } from './drive.ts'
import { documents, everything } from './operations.ts'
const read = async (query, variables) => {
  const { error, data } = await client.query(query, variables, { requestPolicy: 'network-only' })
  if (error) throw error
  return data
}
for (const { query, variables } of everything) await read(query, variables)
await drive({
  ask: (name, variables) => read(documents[name], variables),
  follow: (variables, next) => client.subscription(documents.updates, variables).subscribe(({ data }) => next(data)),
  held: (variables) => client.readQuery(documents.payment, variables)?.data,
})
`,
  relay: `import relay from 'relay-runtime'
import { environment } from './relay-environment.ts'
import { drive } from './drive.ts'
import payment from './__generated__/relayCachesPaymentQuery.graphql.ts'
import events from './__generated__/relayCachesEventsQuery.graphql.ts'
import updates from './__generated__/relayCachesUpdatesSubscription.graphql.ts'
const operations = { payment, events }
await drive({
  ask: (name, variables) => relay.fetchQuery(environment, operations[name], variables).toPromise(),
  follow: (variables, onNext) => relay.requestSubscription(environment, { subscription: updates, variables, onNext }),
  held: (variables) => environment.lookup(relay.createOperationDescriptor(relay.getRequest(payment), variables).fragment).data,
})
`,
}

/** Reads of every field of every type that is reached from a payment or shown in a checkout. */
function everything(paymentId: string, linkId: string) {
  return [
    { coordinate: 'Query.payment', variables: { id: paymentId }, depth: 6 },
    { coordinate: 'Query.paymentLink', variables: { id: linkId }, depth: 6 },
    { coordinate: 'Query.payments', variables: { first: 5 }, depth: 3 },
    { coordinate: 'Query.paymentSearch', variables: { text: linkId, first: 5 }, depth: 3 },
    { coordinate: 'Query.paymentEvents', variables: { first: 5 }, depth: 3 },
    { coordinate: 'Query.webhookDeliveries', variables: { first: 5 }, depth: 3 },
    { coordinate: 'Query.payinMethods', variables: { currencies: ['AUD'] }, depth: 3 },
    { coordinate: 'Query.payinMethods', variables: { currencies: ['JPY'] }, depth: 3 },
    { coordinate: 'Query.paymentCurrencies', variables: {}, depth: 1 },
    { coordinate: 'Query.paymentsHealth', variables: {}, depth: 3 },
    { coordinate: 'Query.accountBalances', variables: { currencies: ['AUD'] }, depth: 3 },
    { coordinate: 'Query.paymentLinks', variables: { first: 5 }, depth: 3 },
  ].map((root) => ({ query: withIds(documentFor(root).query), variables: root.variables }))
}

/** Returns the operation with the id of each object that has one. */
function withIds(query: string): string {
  const info = new TypeInfo(schema)
  const id: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: 'id' } }
  const addId = (set: SelectionSetNode): SelectionSetNode | undefined => {
    const type = info.getParentType()
    return isObjectType(type) && 'id' in type.getFields() ? { ...set, selections: [id, ...set.selections] } : undefined
  }
  return print(visit(parse(query), visitWithTypeInfo(info, { SelectionSet: { leave: addId } })))
}

// promise(streams): Apollo Client, urql's Graphcache and Relay show the newest state after queries, replays and live items, without a warning.
it(
  'the caches of Apollo Client, urql and Relay show the newest state, whatever is read or replayed',
  { timeout: 300_000 },
  async () => {
    const { link, items, paymentId } = await paidStream(network)
    const env = {
      PAYMENTS_URL: `${network.app.url}/graphql`,
      PAYMENTS_TOKEN: await network.token(),
      PAYMENT_ID: paymentId,
      AFTER: items[0]?.cursor ?? '',
    }
    const { folder, run } = projectOf('../clients.md', env)
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
    const asked = { documents: OPERATIONS, everything: everything(paymentId, link.id) }
    write(
      'operations.ts',
      Object.entries(asked)
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}\n`)
        .join(''),
    )
    write('drive.ts', DRIVE)
    for (const [name, text] of Object.entries(PROGRAMS)) write(`run-${name}.ts`, text)
    const tags = Object.values(OPERATIONS).map((text) => `() => graphql\`${text}\``)
    write(
      'relay-caches.ts',
      `import { graphql } from 'relay-runtime'\nexport const operations = [${tags.join(',\n')}]\n`,
    )
    compileForRelay(folder, ['relayCachesPaymentQuery', 'relayCachesEventsQuery', 'relayCachesUpdatesSubscription'])

    const programs = Object.keys(PROGRAMS).map((name) => run(`run-${name}.ts`))
    await Promise.all(programs.map((program) => program.line(/^CAUGHT_UP/)))
    await network.sandbox.control.setStatus(paymentId, 'in_dispute')
    await Promise.all(programs.map((program) => program.line(/^EVENT IN_DISPUTE/)))
    const paid = 'RECEIVED 5 PAID 125.50'
    const shown = ['payment', 'events', 'payment', 'events', 'EVENT', 'EVENT', 'EVENT', 'EVENT', 'CAUGHT_UP']
    for (const program of programs)
      expect(program.lines()).toEqual([...shown.map((step) => `${step} ${paid}`), 'EVENT IN_DISPUTE 6 PAID 125.50'])
  },
)
