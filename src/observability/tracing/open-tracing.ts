import type { Proxies } from '../../lib/outbound-agent.ts'
import type { TracesConfig, Tracing } from './tracing.ts'

type Settings = Omit<TracesConfig, 'endpoint'> & { readonly endpoint: string | null }

/** Returns the tracing of a configured collector; null without one, and then none of OpenTelemetry is loaded. */
export async function openTracing({ endpoint, ...traces }: Settings, proxies: Proxies): Promise<Tracing | null> {
  if (endpoint === null) return null
  const { createTracing } = await import('./tracing.ts')
  return createTracing({ ...traces, endpoint }, proxies)
}
