import { AsyncLocalStorage } from 'node:async_hooks'
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  createTraceState,
  isSpanContextValid,
  type SpanContext,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type TracerProviderOptions,
} from '@opentelemetry/sdk-trace'
import { LRUCache } from 'lru-cache'
import { NO_PROXIES, type Proxies } from '../../lib/outbound-agent.ts'
import { withTimeout } from '../../lib/timers.ts'
import type { SAMPLERS } from './samplers.ts'

/**
 * Spans of this process, sent to a collector. Names and attributes contain only ids, codes and names of the schema: never a
 * variable, a document, a URL with concrete values, a header or the text of an error.
 */
export type Tracing = {
  /** Starts the span of a request, below the span that its headers name, if any. */
  beginAnswer(name: string, headers: RequestHeaders | null): Span
  /** Ends the span with the HTTP status of the response. */
  endAnswer(span: Span, status: number): void
  /** Starts a child of the current span. */
  begin(name: string): Span
  /** Runs work, including its asynchronous continuations, with this span as the current one. */
  run<Result>(span: Span, work: () => Result): Result
  /** The current span, if any. */
  readonly current: Span | undefined
  /** Remembers the current span under a key, such as the id of a payment, so that later spans of this process link to it. */
  remember(key: string): void
  /** Links the current span to that of a `traceparent` header, if it names one. */
  link(traceparent: string | null): void
  /** Records the time from the record of an event to its first delivery, with a link to the webhook under `key`. */
  delivered(event: { readonly id: string; readonly recordedAt: string; readonly key: string }): void
  /** Runs a request to another program, or to the database, in a child of the current span; `headers` then names that child. */
  ask<Result>(name: string, attributes: Attributes, work: () => Promise<Result>): Promise<Result>
  /** Returns the headers that pass the current span on to another program. */
  headers(): Readonly<Record<string, string>>
  /** Sends the buffered spans; takes at most a second. */
  close(): Promise<void>
}

/** The settings of traces, as OpenTelemetry names them. */
export type TracesConfig = {
  /** Base URL of a collector. */
  readonly endpoint: string
  readonly headers?: (() => Readonly<Record<string, string>>) | null
  /** Default: payments-subgraph. */
  readonly serviceName?: string
  readonly attributes?: Readonly<Record<string, string>> | null
  /** Default: all traces are recorded. */
  readonly sampler?: (typeof SAMPLERS)[number]
  readonly samplerRatio?: number
}

const SCOPE = 'payments-subgraph'
/** Timeout of an export in milliseconds; if it fails, its spans are lost, with no other effect. */
const EXPORT_MS = 2_000
const CLOSE_MS = 1_000
/** Most spans that later ones may still link to. */
const MAX_REMEMBERED = 10_000

/**
 * Creates the exporter to a collector (OTLP over HTTP, in JSON) at its base URL. This file is loaded only if one is configured:
 * the libraries take most of a second to load.
 */
export function createTracing(config: TracesConfig, { http, https, none }: Proxies = NO_PROXIES): Tracing {
  const { endpoint, headers: ownHeaders, serviceName = SCOPE, attributes: own } = config
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    headers: { ...ownHeaders?.() },
    timeoutMillis: EXPORT_MS,
    // Explicit, since NODE_TLS_REJECT_UNAUTHORIZED changes the default.
    httpAgentOptions: {
      rejectUnauthorized: true,
      proxyEnv: { HTTP_PROXY: http, HTTPS_PROXY: https, NO_PROXY: none },
    },
  })
  const processor = new BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_MS })
  const provider = new TracerProvider({
    spanProcessors: [processor],
    sampler: samplerOf(config),
    resource: resource({ ...own, 'service.name': serviceName }),
  })
  const remembered = new LRUCache<string, SpanContext>({ max: MAX_REMEMBERED })
  const linksTo = (key: string) => {
    const context = remembered.get(key)
    return context === undefined ? [] : [{ context }]
  }
  const tracer = provider.getTracer(SCOPE)
  const contexts = new AsyncLocalStorage<Context>()
  const active = () => contexts.getStore() ?? ROOT_CONTEXT
  const run: Tracing['run'] = (span, work) => contexts.run(trace.setSpan(active(), span), work)
  const current = () => trace.getSpan(active())

  return {
    beginAnswer: (name, headers) =>
      tracer.startSpan(
        name,
        { kind: SpanKind.SERVER },
        headers === null ? ROOT_CONTEXT : withRemoteParent(ROOT_CONTEXT, headers),
      ),
    endAnswer: (span, status) => {
      span.setAttribute('http.response.status_code', status)
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
    begin: (name) => tracer.startSpan(name, {}, active()),
    run,
    get current() {
      return current()
    },
    async ask(name, attributes, work) {
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, active())
      try {
        return await run(span, work)
      } catch (error) {
        span.setAttribute('error.type', kindOf(error)).setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    },
    remember(key) {
      const span = current()
      if (span !== undefined) remembered.set(key, span.spanContext())
    },
    link(traceparent) {
      const context = remoteSpan({ traceparent: traceparent ?? undefined })
      if (context !== null) current()?.addLink({ context })
    },
    delivered({ id, recordedAt, key }) {
      const links = linksTo(key)
      if (links.length === 0) return
      const attributes = { 'payments.event.id': id }
      tracer
        .startSpan('event delivered', { kind: SpanKind.PRODUCER, startTime: new Date(recordedAt), links, attributes })
        .end()
    },
    headers: () => {
      const span = current()
      return span === undefined ? {} : traceHeaders(span.spanContext())
    },
    async close() {
      // An unreachable collector is no reason to fail.
      const closing = provider.shutdown().catch(() => {})
      await withTimeout(closing, CLOSE_MS, () => {})
    },
  }
}

function samplerOf({ sampler = 'parentbased_always_on', samplerRatio = 1 }: TracesConfig): Sampler {
  const [, parentBased, name] = /^(parentbased_)?(.*)$/.exec(sampler) ?? []
  const root =
    name === 'traceidratio'
      ? new TraceIdRatioBasedSampler(samplerRatio)
      : name === 'always_off'
        ? new AlwaysOffSampler()
        : new AlwaysOnSampler()
  return parentBased === undefined ? root : new ParentBasedSampler({ root })
}

const CODE = /^[\w.:-]{1,64}$/

/** Returns the class or the code of an error, which are constant names; never its text. */
function kindOf(error: unknown): string {
  const { code, name } = error instanceof Error ? (error as Error & { code?: unknown }) : {}
  return [code, name].find((word): word is string => typeof word === 'string' && CODE.test(word)) ?? 'unknown'
}

/** Returns the resource that the spans describe. */
function resource(attributes: Attributes): NonNullable<TracerProviderOptions['resource']> {
  return {
    attributes,
    merge: (other) => resource({ ...attributes, ...other?.attributes }),
    getRawAttributes: () => Object.entries(attributes),
  }
}

/** Version, trace id, span id and flags (W3C Trace Context, section 3.2). */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/
const MAX_STATE_CHARACTERS = 512

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Returns the context with the remote parent span that a request's headers name; unchanged if they name none. */
function withRemoteParent(context: Context, headers: RequestHeaders): Context {
  const parent = remoteSpan(headers)
  return parent === null ? context : trace.setSpanContext(context, parent)
}

function remoteSpan({ traceparent, tracestate }: RequestHeaders): SpanContext | null {
  const [, version, traceId = '', spanId = '', flags = ''] =
    typeof traceparent === 'string' ? (TRACEPARENT.exec(traceparent.trim()) ?? []) : []
  const span: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(typeof tracestate === 'string' && tracestate.length <= MAX_STATE_CHARACTERS
      ? { traceState: createTraceState(tracestate) }
      : {}),
  }
  return version !== undefined && isSpanContextValid(span) ? span : null
}

/** Returns the headers with which another program continues a trace below a span. */
function traceHeaders(span: SpanContext): Readonly<Record<string, string>> {
  const flags = span.traceFlags.toString(16).padStart(2, '0')
  const state = span.traceState?.serialize() ?? ''
  return {
    traceparent: `00-${span.traceId}-${span.spanId}-${flags}`,
    ...(state === '' ? {} : { tracestate: state }),
  }
}
