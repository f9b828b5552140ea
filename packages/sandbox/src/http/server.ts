import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import createRouter, { type HTTPMethod } from 'find-my-way'

/** A request, and where its answer goes. */
export type Call = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Parameters in the path of the route, decoded. */
  readonly params: Readonly<Record<string, string | undefined>>
  /** All bytes of the body; empty until the route runs. */
  body: Buffer
}

export type Answer = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** What answers a call: undefined if it answers by itself, or never. */
type Answered = Answer | undefined | Promise<Answer | undefined>

type Handler = (call: Call) => Answered

/** Sets the handler of a path. A body of more than `mostBytes`, by default 1 MiB, is answered with 413. */
type SetRoute = (path: string, handler: Handler, mostBytes?: number) => void

export type Routes = { readonly get: SetRoute; readonly post: SetRoute; readonly delete: SetRoute }

/** Answers every call below a path. `route` runs its route; null if it has none. */
export type Scope = (call: Call, route: (() => Promise<Answer | undefined>) | null) => Answered

const MOST_BYTES = 1024 * 1024

/** The body of a request has more bytes than its route takes. */
export class BodyTooLargeError extends Error {}

/** Creates a server without its routes. `scope` answers every call, with `failureOf` for what its route throws. */
export function createHttpServer(
  scope: Scope,
  failureOf: (error: unknown) => Answer,
): { readonly server: Server; readonly routes: Routes } {
  const router = createRouter()
  const setRoute =
    (method: HTTPMethod): SetRoute =>
    (path, handler, mostBytes = MOST_BYTES) =>
      router.on(method, path, handler as never, mostBytes)

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '' } = request
    const found = router.find(method as HTTPMethod, url)
    const [path = ''] = url.split('?', 1)
    const query = new URLSearchParams(url.slice(path.length))
    const call: Call = { request, response, path, query, params: found?.params ?? {}, body: Buffer.alloc(0) }
    const route =
      found &&
      (async () => {
        try {
          call.body = await readBody(request, found.store as number)
          return await (found.handler as unknown as Handler)(call)
        } catch (error) {
          return failureOf(error)
        }
      })
    const given = await scope(call, route)
    if (given === undefined) return
    for (const [name, value] of Object.entries(given.headers ?? {})) response.setHeader(name, value)
    response.statusCode = given.status
    response.end(given.body)
  }
  // Uploads and faults take as long as they do.
  const options = { keepAliveTimeout: 72_000, requestTimeout: 0 }
  return {
    server: createServer(options, (request, response) => {
      answer(request, response).catch(() => response.destroy())
    }),
    routes: { get: setRoute('GET'), post: setRoute('POST'), delete: setRoute('DELETE') },
  }
}

/** Throws for a body that is too large. It is read to its end, since clients read no answer while they send. */
async function readBody(request: IncomingMessage, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= mostBytes) chunks.push(chunk)
  }
  if (size > mostBytes) throw new BodyTooLargeError()
  return Buffer.concat(chunks)
}
