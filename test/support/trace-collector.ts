import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type CollectedSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: Readonly<Record<string, unknown>>
  readonly failed: boolean
  /** Ids of the spans that it links to. */
  readonly links: readonly string[]
}

export type TraceCollector = {
  /** URL for the setting. */
  readonly url: string
  /** Bodies of all requests, as received. */
  readonly bodies: readonly string[]
  readonly paths: readonly string[]
  /** Headers of the requests. */
  readonly headers: readonly NodeJS.Dict<string | string[]>[]
  spans(): CollectedSpan[]
  close(): Promise<void>
}

type WireValue = {
  readonly stringValue?: string
  readonly intValue?: number
  readonly arrayValue?: { values: WireValue[] }
}
type WireAttributes = readonly { readonly key: string; readonly value: WireValue }[]
type WireSpan = Omit<CollectedSpan, 'attributes' | 'failed' | 'links'> & {
  readonly links?: readonly { readonly spanId: string }[]
  readonly attributes: WireAttributes
  readonly status: { readonly code: number }
}
type WireBody = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: WireAttributes }
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[]
  }[]
}

const ERROR = 2

/** Starts a collector of OTLP over HTTP. `status` is its answer. */
export async function startTraceCollector(status = 200): Promise<TraceCollector> {
  const bodies: string[] = []
  const paths: string[] = []
  const headers: NodeJS.Dict<string | string[]>[] = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    headers.push(request.headers)
    paths.push(`${request.method} ${request.url}`)
    bodies.push(await text(request))
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  }
  const server = createServer((request, response) => void take(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    paths,
    headers,
    spans: () =>
      bodies
        .flatMap((body) => (JSON.parse(body) as WireBody).resourceSpans)
        .flatMap(({ resource, scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) =>
            spans.map(({ attributes, status: outcome, links = [], ...span }) => ({
              ...span,
              attributes: { ...valuesOf(resource.attributes), ...valuesOf(attributes) },
              failed: outcome.code === ERROR,
              links: links.map(({ spanId }) => spanId),
            })),
          ),
        ),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function valuesOf(attributes: WireAttributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]))
}

function valueOf({ stringValue, intValue, arrayValue }: WireValue): unknown {
  return stringValue ?? intValue ?? arrayValue?.values.map(valueOf)
}
