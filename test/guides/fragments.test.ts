import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectOf, typeFaults } from './snippets.ts'

/** What the fragments of pages use of the program around them. */
const SURROUNDINGS: Readonly<Record<string, string>> = {
  'packages/client/README.md': `
    import type { CreatePaymentLinkInput } from 'payments-subgraph-client'
    declare const button: HTMLButtonElement
    declare const token: string
    declare const link: { readonly id: string; readonly checkoutUrl: string; readonly statusToken: string }
    declare const order: { id: string; title: string; total: CreatePaymentLinkInput['amount']; customer: CreatePaymentLinkInput['customer'] }
    declare function show(payment: unknown): void`,
  'packages/graphql-plan/README.md': `
    import type { GraphQLSchema, OperationDefinitionNode } from 'graphql'
    import type { ServerResponse } from 'node:http'
    declare const schema: GraphQLSchema
    declare const text: string
    declare const given: Record<string, unknown>
    declare const context: object
    declare const response: ServerResponse`,
  'packages/graphql-sockets/README.md': `
    import type { Server } from 'node:http'
    import type { Connection, Outcome, RunOptions, SharedTimer, SocketLimits, SocketLogger } from 'graphql-sockets'
    type Session = { authenticate(payload: unknown): Promise<boolean>; isExpired(): boolean; release(): void }
    declare const engine: { run(query: string, variables: unknown, session: Session, admit: RunOptions['admit']): Promise<Outcome> }
    declare const timer: SharedTimer
    declare const logger: SocketLogger
    declare const limits: SocketLimits
    declare const sessionFor: (connection: Connection) => Session
    declare const server: Server`,
  'packages/lib/README.md': '',
}

test.each(Object.entries(SURROUNDINGS))('the fragment of a program is written in sound types: %s', (page, around) => {
  const text = readFileSync(join(import.meta.dirname, '../..', page), 'utf8')
  const [, code = '', ...others] = /^```ts\n(.*?)^```$/ms.exec(text) ?? []
  expect(others).toEqual([])
  const project = projectOf('export.md', {})
  writeFileSync(join(project.folder, 'fragment.ts'), `${code}\n${around}\nexport {}\n`)
  expect(typeFaults(project, { lib: ['ES2024', 'DOM', 'DOM.AsyncIterable'] })).toBe('')
})
