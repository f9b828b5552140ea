import { createHash } from 'node:crypto'
import { HeaderMap } from '@apollo/server'
import { buildSchema, parse } from 'graphql'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAnswerFreshness } from '../../../src/graphql/answer-freshness.ts'
import { startApollo } from '../../../src/graphql/apollo.ts'
import type { Context } from '../../../src/graphql/context.ts'
import { createLogger } from '../../../src/log.ts'

const GIVEN = '{ given }'
const digest = createHash('sha256').update(GIVEN).digest('hex')

let apollo: Awaited<ReturnType<typeof startApollo>>
beforeAll(async () => {
  apollo = await startApollo({
    schema: buildSchema('type Query { given: String }'),
    // Another document than the text is, to tell which of the two is run.
    documentBySha256: (hash) => (hash === digest ? parse('{ fromTheGate: given }') : undefined),
    formatError: (formatted) => formatted,
    production: true,
    logger: createLogger({ level: 'silent' }),
    tracing: null,
  })
})
afterAll(() => apollo.stop())

async function run(query: string): Promise<unknown> {
  const { body } = await apollo.executeHTTPGraphQLRequest({
    httpGraphQLRequest: {
      method: 'POST',
      headers: new HeaderMap([['content-type', 'application/json']]),
      search: '',
      body: { query },
    },
    context: async () => ({ freshness: createAnswerFreshness() }) as Context,
  })
  return body.kind === 'complete' ? JSON.parse(body.string) : null
}

it('runs the document that the gate has admitted, without reading the text again', async () => {
  expect(await run(GIVEN)).toEqual({ data: { fromTheGate: null } })
})

it('reads the text where the gate does not keep it any more', async () => {
  expect(await run('{ given  }')).toEqual({ data: { given: null } })
})
