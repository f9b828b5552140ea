import type { Proxies } from '../../lib/outbound-agent.ts'
import type { TracesConfig, Tracing } from './tracing.ts'

type TracingConfig = {
  readonly traces: Omit<TracesConfig, 'endpoint'> & { readonly endpoint: string | null }
  readonly proxies: Proxies
}

/** Returns the tracing of a configured collector; null without one, and then none of OpenTelemetry is loaded. */
export async function openTracing({ traces, proxies }: TracingConfig): Promise<Tracing | null> {
  const { endpoint } = traces
  if (endpoint === null) return null
  const { createTracing } = await import('./tracing.ts')
  return createTracing({ ...traces, endpoint }, proxies)
}
