import { createTraceState, isSpanContextValid, trace, type Context, type SpanContext } from '@opentelemetry/api'

/** Version, trace id, span id and flags (W3C Trace Context, section 3.2). */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/
const MAX_STATE_CHARACTERS = 512

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Returns the context with the remote parent span that a request's headers name; unchanged if they name none. */
export function withRemoteParent(context: Context, { traceparent, tracestate }: RequestHeaders): Context {
  const [, version, traceId = '', spanId = '', flags = ''] =
    typeof traceparent === 'string' ? (TRACEPARENT.exec(traceparent.trim()) ?? []) : []
  const parent: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(typeof tracestate === 'string' && tracestate.length <= MAX_STATE_CHARACTERS
      ? { traceState: createTraceState(tracestate) }
      : {}),
  }
  return version !== undefined && isSpanContextValid(parent) ? trace.setSpanContext(context, parent) : context
}

/** Returns the headers with which another program continues a trace below a span. */
export function traceHeaders(span: SpanContext): Readonly<Record<string, string>> {
  const flags = span.traceFlags.toString(16).padStart(2, '0')
  const state = span.traceState?.serialize() ?? ''
  return {
    traceparent: `00-${span.traceId}-${span.spanId}-${flags}`,
    ...(state === '' ? {} : { tracestate: state }),
  }
}
