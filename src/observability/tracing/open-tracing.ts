import type { AppConfig } from '../../config.ts'
import type { Tracing } from './tracing.ts'

/** Returns the tracing of a configured collector; null without one, and then none of OpenTelemetry is loaded. */
export async function openTracing({ traces, proxies }: AppConfig): Promise<Tracing | null> {
  const { endpoint } = traces
  if (endpoint === null) return null
  const { createTracing } = await import('./tracing.ts')
  return createTracing({ ...traces, endpoint }, proxies)
}
