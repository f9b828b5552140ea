import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  buildSchema,
  MaxIntrospectionDepthRule,
  NoFragmentCyclesRule,
  parse,
  specifiedRules,
  UniqueDirectivesPerLocationRule,
  validate,
  execute,
  type ExecutionResult,
} from 'graphql'
import type { Endpoint } from './probes.ts'

const SDL = `type Query { harbour: String _service: _Service! } type Mutation { sink: Int } type _Service { sdl: String! }`
const ROOT = { harbour: 'Odessa', _service: { sdl: SDL }, sink: 1 }
const TOO_STRICT: ReadonlySet<unknown> = new Set([
  MaxIntrospectionDepthRule,
  NoFragmentCyclesRule,
  UniqueDirectivesPerLocationRule,
])

export type CarelessEndpoint = Endpoint & { close(): Promise<void> }

/** Starts an endpoint with every weakness that the probes look for: each probe must find its own here. */
export async function startCarelessEndpoint(): Promise<CarelessEndpoint> {
  const server = createServer((request, response) => {
    if (request.headers.accept?.startsWith('text/html') === true) response.end('<title>GraphiQL</title>')
    else void bodyOf(request).then((body) => response.end(JSON.stringify(answer(request, body))))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    query: '{ harbour }',
    mutation: 'mutation { sink }',
    misspelt: { query: '{ harbor }', name: 'harbour' },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function answer(request: IncomingMessage, body: string): unknown {
  try {
    const asked: unknown = queriesOf(request, body)
    return Array.isArray(asked) ? asked.map(run) : run(asked)
  } catch (error) {
    const stacktrace = error instanceof Error ? error.stack : ''
    return { errors: [{ message: 'failed', extensions: { exception: { stacktrace } } }] }
  }
}

function run(asked: unknown): ExecutionResult {
  const { query } = asked as { query: string }
  const schema = buildSchema(SDL)
  const document = parse(query)
  const errors = validate(
    schema,
    document,
    specifiedRules.filter((rule) => !TOO_STRICT.has(rule)),
  )
  const result = errors.length > 0 ? { errors } : execute({ schema, document, rootValue: ROOT })
  return { ...(result as ExecutionResult), extensions: { tracing: {} } }
}

/** Returns the operations of a request, from a JSON or form body, or from the URL. */
function queriesOf(request: IncomingMessage, body: string): unknown {
  if (request.headers['content-type']?.startsWith('application/json') === true) return JSON.parse(body)
  const form = new URLSearchParams(body === '' ? request.url?.split('?')[1] : body)
  return { query: form.get('query') }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
