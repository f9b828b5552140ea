import { readFileSync } from 'node:fs'
import { Kind, parse, valueFromASTUntyped, type FieldDefinitionNode } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALL_SCOPES, isScope, type Scope } from '../../src/access/scopes.ts'
import { act } from '../checkout.ts'
import { startNetwork, type Network } from '../network.ts'
import { createLink, linkInput, type CreatedLink } from '../operations.ts'
import { EVENT_STREAM } from '../streams.ts'

let network: Network
let link: CreatedLink
beforeAll(async () => {
  network = await startNetwork()
  link = await createLink(network, { ownerId: 'customer-7' })
  await act(link.checkoutUrl, 'decline')
  await network.sandbox.settle()
})
afterAll(() => network.close())

/** Fields that ask for scopes, with the lists of which one suffices, as the contract writes them. */
const GUARDED = new Map(guardedFields(readFileSync('schema.graphql', 'utf8')))

/** How each of them is asked for, by somebody who may read the link through its status token. */
const QUERIES: Readonly<Record<string, string>> = {
  'PaymentLink.statusToken':
    'query Q($id: ID!, $st: String) { paymentLink(id: $id, statusToken: $st) { statusToken } }',
  'PaymentLink.ownerId': 'query Q($id: ID!, $st: String) { paymentLink(id: $id, statusToken: $st) { ownerId } }',
  'Payment.payer':
    'query Q($id: ID!, $st: String) { paymentLink(id: $id, statusToken: $st) { payment { payer { name email } } } }',
  'PaymentFailure.codeRaw':
    'query Q($id: ID!, $st: String) { paymentLink(id: $id, statusToken: $st) { payment { failure { codeRaw } } } }',
  'PaymentFailure.upstreamMessage':
    'query Q($id: ID!, $st: String) { paymentLink(id: $id, statusToken: $st) { payment { failure { upstreamMessage } } } }',
  'Query.paymentLinks': '{ paymentLinks { nodes { id } } }',
  'Query.payments': '{ payments { nodes { id } } }',
  'Query.paymentEvents': '{ paymentEvents { nodes { id } } }',
  'Query.webhookDeliveries': '{ webhookDeliveries { nodes { id } } }',
  'Mutation.createPaymentLink':
    'mutation M($input: CreatePaymentLinkInput!) { createPaymentLink(input: $input) { ... on CreatePaymentLinkSuccess { replayed } } }',
  'Mutation.refreshPayment':
    'mutation M($id: ID!) { refreshPayment(id: $id) { ... on RefreshPaymentSuccess { changed } } }',
  'Subscription.paymentEventStream': EVENT_STREAM,
}

describe('the fields that ask for scopes', () => {
  it('are all tried here', () => {
    expect([...GUARDED.keys()].toSorted()).toEqual(Object.keys(QUERIES).toSorted())
  })
})

describe.each(Object.entries(QUERIES).filter(([name]) => !name.startsWith('Subscription.')))('%s', (name, query) => {
  const ask = async (token: string | null) => {
    const variables = { id: link.id, st: link.statusToken, input: linkInput() }
    return network.ask(query, variables, { token })
  }

  it('is refused to anonymous as UNAUTHENTICATED', async () => {
    const answer = await ask(null)
    expect(answer.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
    expect(valueAt(answer)).toBeNull()
  })

  it('is refused as FORBIDDEN to a caller who has every scope but the one that it needs', async () => {
    for (const scopes of insufficient(GUARDED.get(name) ?? [])) {
      const answer = await ask(await network.token({ scopes, subject: 'stranger' }))
      expect(answer.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
      expect(valueAt(answer)).toBeNull()
    }
  })

  it('is given to a caller who has that scope alone', async () => {
    for (const scopes of GUARDED.get(name) ?? []) {
      const answer = await ask(await network.token({ scopes, subject: 'stranger' }))
      expect(answer.errors).toBeUndefined()
      expect(valueAt(answer)).not.toBeNull()
    }
  })
})

describe('Subscription.paymentEventStream', () => {
  const follow = async (token: string | null) => {
    const stream = await network.follow(EVENT_STREAM, {}, { token })
    const first = await stream.next().catch((error: { errors: unknown }) => error.errors)
    await stream.end()
    return first
  }

  it('is refused and given like any other field', async () => {
    const lists = GUARDED.get('Subscription.paymentEventStream') ?? []
    expect(await follow(null)).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
    for (const scopes of insufficient(lists))
      expect(await follow(await network.token({ scopes }))).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
    for (const scopes of lists)
      expect(await follow(await network.token({ scopes }))).toMatchObject({ kind: 'CAUGHT_UP' })
  })
})

/** For each list of scopes, all scopes but one of it; with alternatives, all but one of each. */
function insufficient(lists: readonly (readonly Scope[])[]): Scope[][] {
  const missing = new Set(lists.map(([first]) => first))
  return [ALL_SCOPES.filter((scope) => !missing.has(scope)), []]
}

/** The innermost value of an answer of one field at each level. */
function valueAt({ data }: { data: unknown }): unknown {
  let value = data
  while (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    const [first] = Object.values(value)
    if (first === undefined) return value
    value = first
  }
  return value
}

function guardedFields(sdl: string): [string, Scope[][]][] {
  return parse(sdl).definitions.flatMap((definition) =>
    definition.kind === Kind.OBJECT_TYPE_DEFINITION
      ? (definition.fields ?? []).flatMap((field): [string, Scope[][]][] => {
          const scopes = scopesOf(field)
          return scopes === null ? [] : [[`${definition.name.value}.${field.name.value}`, scopes]]
        })
      : [],
  )
}

function scopesOf({ directives = [] }: FieldDefinitionNode): Scope[][] | null {
  const argument = directives.find(({ name }) => name.value === 'requiresScopes')?.arguments?.[0]
  if (argument === undefined) return null
  return (valueFromASTUntyped(argument.value) as string[][]).map((all) => all.filter(isScope))
}
