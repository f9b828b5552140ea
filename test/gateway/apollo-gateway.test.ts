import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { DocumentNode } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'

/** What this test uses of packages that are installed in a tree of their own, with a copy of graphql-js of their own. */
type Library = {
  readonly parse: (text: string) => DocumentNode
  readonly composeServices: (services: readonly { name: string; url: string; typeDefs: DocumentNode }[]) => {
    readonly supergraphSdl: string
  }
  readonly ApolloGateway: new (options: { supergraphSdl: string | object }) => Gateway
  readonly IntrospectAndCompose: new (options: {
    subgraphs: readonly { name: string; url: string }[]
    introspectionHeaders: Record<string, string>
  }) => object
}
type Gateway = {
  load(): Promise<{ executor: (request: object) => Promise<Answer>; schema: unknown }>
  stop(): Promise<void>
}
type Answer = {
  readonly data?: unknown
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[]
}

const load = createRequire(join(import.meta.dirname, 'apollo/package.json'))
const library: Library = { ...load('graphql'), ...load('@apollo/composition'), ...load('@apollo/gateway') }

function sdl(...args: string[]): string {
  const { stdout, stderr, status } = spawnSync('npm', ['run', '--silent', 'sdl', '--', ...args], {
    cwd: join(import.meta.dirname, '../..'),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

describe('@apollo/gateway', () => {
  let network: Network
  beforeAll(async () => void (network = await startNetwork()))
  afterAll(() => network.close())

  const gatewayOf = (text: string) => {
    const typeDefs = library.parse(text)
    const { supergraphSdl } = library.composeServices([
      { name: 'payments', url: `${network.app.url}/graphql`, typeDefs },
    ])
    return new library.ApolloGateway({ supergraphSdl })
  }

  it('refuses the schema with scopes', async () => {
    await expect(gatewayOf(sdl()).load()).rejects.toThrow('requiresScopes/v0.1 is for: SECURITY but is unsupported')
  })

  it('answers with the schema without scopes, whose rights the subgraph enforces', async () => {
    expect(await answersOf(gatewayOf(sdl('--without-scopes')))).toMatchObject(ANSWERS)
  })

  it('composes by itself what the subgraph says with SDL_SCOPES=none', async () => {
    const secret = 'secret-of-the-router-1'
    await network.restart(() => {}, { ROUTER_SECRETS: secret, SDL_SCOPES: 'none' })
    const supergraphSdl = new library.IntrospectAndCompose({
      subgraphs: [{ name: 'payments', url: `${network.app.url}/graphql` }],
      introspectionHeaders: { 'x-router-secret': secret },
    })
    expect(await answersOf(new library.ApolloGateway({ supergraphSdl }))).toMatchObject(ANSWERS)
  })

  /** Returns what a gateway answers to anybody, about something public and something that requires a scope. */
  async function answersOf(gateway: Gateway): Promise<{ open: Answer; guarded: Answer }> {
    const { executor, schema } = await gateway.load()
    const ask = (query: string) => {
      const document = library.parse(query)
      const [operation] = document.definitions
      const request = { query, variables: {}, http: { headers: new Map() } }
      return executor({
        request,
        document,
        operation,
        schema,
        queryHash: query,
        context: {},
        metrics: {},
        cache: new Map(),
      })
    }
    try {
      const open = await ask('{ paymentCurrencies { code exponent } }')
      return { open, guarded: await ask('{ payments(first: 1) { nodes { id } } }') }
    } finally {
      await gateway.stop()
    }
  }
})

const ANSWERS = {
  open: { data: { paymentCurrencies: expect.arrayContaining([{ code: 'AUD', exponent: 2 }]) } },
  guarded: { data: { payments: null }, errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
}
