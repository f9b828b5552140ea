import { HeaderMap } from '@apollo/server'
import { buildSchema, parse } from 'graphql'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAnswerFreshness } from '../../../src/graphql/answer-freshness.ts'
import type { Context } from '../../../src/graphql/context.ts'
import { startApollo, withDocument } from '../../../src/graphql/engine/apollo.ts'
import { createLogger } from '../../../src/log.ts'

let apollo: Awaited<ReturnType<typeof startApollo>>
beforeAll(async () => {
  apollo = await startApollo({
    schema: buildSchema('type Query { given: String }'),
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

it('runs the document that was admitted for the request, without reading the text again', async () => {
  // Other documents than the text is, to tell what is run.
  const answers = ['one', 'other'].map((alias) => withDocument(parse(`{ ${alias}: given }`), () => run('no text')))
  expect(await Promise.all(answers)).toEqual([{ data: { one: null } }, { data: { other: null } }])
})
